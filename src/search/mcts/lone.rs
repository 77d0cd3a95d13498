//! Makes a single descent, for batches of one leaf. It needs no slots, spots or sums.

use super::deal::{Dealer, Hand, untried_child};
use super::nodes::Link;
use super::slots::Open;
use crate::games::{Ahead, TreeRules};

pub(super) enum Reached<P> {
    Made(Open<P>),
    /// A node of a full tree. Holds the index of its position in `open`.
    Again(u32),
    /// A finished game. Holds the half points of the side that made the last move.
    Over(u32),
}

impl<G: TreeRules> Dealer<'_, G> {
    /// Descends from the root to a new node, a node of a full tree or the end of a game. Pushes each node onto `path`.
    pub fn descend_alone(&self, path: &mut Vec<u32>, hand: &mut Hand) -> Reached<G::Position> {
        path.clear();
        let mut at = 0;
        let mut node = self.nodes.at(at);
        loop {
            path.push(at);
            let visits = node.visits();
            node.set_visits(visits + 1);
            let block = match node.link() {
                Link::Block(block) => block,
                Link::Over(points) => return Reached::Over(points),
                Link::Open(place) => {
                    let moves = self.open[place as usize].moves;
                    let Some(block) = self.add_block(moves, place, hand) else {
                        return Reached::Again(place);
                    };
                    node.set_link(Link::Block(block));
                    block
                }
            };
            let (header, children) = self.nodes.block(block);
            // One of the visits created the node itself.
            let untried = (children.len() as u32 + 1).saturating_sub(visits);
            if untried == 0 {
                let best = self.best_child(children, visits);
                at = block + 1 + best;
                node = &children[best as usize];
                continue;
            }
            // A header always links to a position.
            let Link::Open(place) = header.link() else {
                return Reached::Over(1);
            };
            let child = untried_child(children, self.draw(0, untried));
            let position = self.game.after(&self.open[place as usize].position, child);
            hand.made += 1;
            hand.depth = hand.depth.max(path.len() as u16);
            path.push(block + 1 + child);
            let node = &children[child as usize];
            node.set_visits(1);
            return match self.game.ahead(&position) {
                Ahead::Moves(moves) => Reached::Made(Open { position, moves }),
                Ahead::Over(points) => {
                    // Convert the result to the point of view of the side that moved there.
                    let points = 2 - points;
                    node.set_link(Link::Over(points));
                    Reached::Over(points)
                }
            };
        }
    }
}
