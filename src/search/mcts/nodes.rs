//! Stores the nodes of a search tree, with 16 bytes per node.
//!
//! A header precedes a node's children, which are adjacent and in the game's order of moves. Eight children therefore
//! occupy three cache lines. They are allocated at the second visit to their parent. Threads work on disjoint subtrees
//! through a shared reference, so fields are relaxed atomics. No thread reads a field while another writes it.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use crate::search::threads::lock;

/// Default capacity of a tree, in nodes, including untried moves. The nodes use 1 GiB, and the positions 512 MiB.
pub const MOST_NODES: usize = 1 << 26;

/// A node, from the point of view of the side that moved to it. In a header, `visits` is the number of children.
#[derive(Default)]
pub(super) struct Node {
    /// Half points of the side that moved here, from finished games.
    points: AtomicU64,
    /// Number of leaves selected at or below the node, including leaves in play. 0 if the node is untried.
    visits: AtomicU32,
    link: AtomicU32,
}

impl Node {
    #[inline(always)]
    pub fn points(&self) -> u64 {
        self.points.load(Relaxed)
    }

    #[inline(always)]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    #[inline(always)]
    pub fn link(&self) -> Link {
        Link::of(self.link.load(Relaxed))
    }

    /// Converts the points for the formula. They are below 2^63, and signed integers are faster to convert.
    #[inline(always)]
    pub fn sum(&self) -> f64 {
        self.points() as i64 as f64
    }

    /// Adds half points. No other thread may write to this node at the same time.
    #[inline(always)]
    pub fn add(&self, points: u64) {
        self.points.store(self.points() + points, Relaxed);
    }

    #[inline(always)]
    pub fn set_visits(&self, visits: u32) {
        self.visits.store(visits, Relaxed);
    }

    #[inline(always)]
    pub fn set_link(&self, link: Link) {
        self.link.store(link.pack(), Relaxed);
    }

    fn clear(&self) {
        self.points.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.link.store(0, Relaxed);
    }
}

/// The number and the kind that a node's link encodes.
///
/// | bits | field |
/// | --- | --- |
/// | 0–29 | number: of the position, of the children's header, or the points of a finished game |
/// | 30–31 | kind: 0 open, 1 block, 2 over |
#[derive(Clone, Copy)]
pub(super) enum Link {
    /// A position. The node has no children yet.
    Open(u32),
    /// The header of the node's children. The header's own link is `Open`.
    Block(u32),
    Over(u32),
}

const LINK_BITS: u32 = 30;
const LINK_NUMBER: u32 = (1 << LINK_BITS) - 1;

impl Link {
    #[inline(always)]
    fn pack(self) -> u32 {
        match self {
            Link::Open(place) => place,
            Link::Block(place) => 1 << LINK_BITS | place,
            Link::Over(points) => 2 << LINK_BITS | points,
        }
    }

    #[inline(always)]
    fn of(packed: u32) -> Link {
        let number = packed & LINK_NUMBER;
        match packed >> LINK_BITS {
            0 => Link::Open(number),
            1 => Link::Block(number),
            _ => Link::Over(number),
        }
    }
}

/// log2 of the number of nodes per segment. A header and its children lie within one segment.
const SEGMENT_BITS: u32 = 14;
const SEGMENT: u32 = 1 << SEGMENT_BITS;
/// Number of nodes that a thread takes at a time.
const CHUNK: u32 = 1024;
/// Number of extra nodes for one more batch, which may begin just before the tree is full.
const BEYOND: usize = 1 << 26;
const _: () = assert!(MOST_NODES + BEYOND <= LINK_NUMBER as usize);

/// The nodes of a tree. Segments are reused and never move, because threads add blocks while others read.
pub(super) struct Nodes {
    segments: Box<[OnceLock<Box<[Node]>>]>,
    /// Index of the first node that no thread has taken.
    unused: Mutex<u32>,
}

impl Nodes {
    /// Creates the segment table for trees that stop growing at `most` nodes.
    pub fn new(most: usize) -> Nodes {
        let segments = (most.min(MOST_NODES) + BEYOND).div_ceil(SEGMENT as usize);
        Nodes {
            segments: (0..segments).map(|_| OnceLock::new()).collect(),
            unused: Mutex::default(),
        }
    }

    pub fn clear(&mut self) {
        self.unused = Mutex::default();
    }

    #[inline(always)]
    pub fn at(&self, place: u32) -> &Node {
        &self.segment(place)[(place % SEGMENT) as usize]
    }

    /// Returns the header of a block, and the children that follow it.
    #[inline(always)]
    pub fn block(&self, place: u32) -> (&Node, &[Node]) {
        let nodes = &self.segment(place)[(place % SEGMENT) as usize..];
        let header = &nodes[0];
        (header, &nodes[1..=header.visits() as usize])
    }

    #[inline(always)]
    fn adjacent(&self, first: u32, count: u32) -> &[Node] {
        let start = (first % SEGMENT) as usize;
        &self.segment(first)[start..start + count as usize]
    }

    /// Reads the first nodes of a block into the cache. Reads of several blocks can overlap.
    #[inline(always)]
    pub fn touch(&self, block: u32) -> u32 {
        let nodes = self.segment(block);
        let first = (block % SEGMENT) as usize;
        // A cache line holds four nodes.
        let lines = nodes[first..].iter().step_by(4).take(3);
        lines.fold(0, |sum, node| sum ^ node.visits())
    }

    #[inline(always)]
    fn segment(&self, place: u32) -> &[Node] {
        match self.segments[(place >> SEGMENT_BITS) as usize].get() {
            Some(nodes) => nodes,
            None => &[],
        }
    }

    /// Allocates `count` adjacent nodes from the thread's chunk, or from a new one. Returns `None` if none are left.
    #[inline(always)]
    pub fn add(&self, chunk: &mut Range<u32>, count: u32) -> Option<u32> {
        if (chunk.len() as u32) < count {
            *chunk = self.chunk(count)?;
        }
        let first = chunk.start;
        chunk.start += count;
        self.adjacent(first, count).iter().for_each(Node::clear);
        Some(first)
    }

    #[cold]
    fn chunk(&self, least: u32) -> Option<Range<u32>> {
        let size = least.max(CHUNK);
        if size > SEGMENT {
            return None;
        }
        let mut unused = lock(&self.unused);
        let mut first = *unused;
        if first % SEGMENT + size > SEGMENT {
            first = first.next_multiple_of(SEGMENT);
        }
        let segment = self.segments.get((first >> SEGMENT_BITS) as usize)?;
        *unused = first + size;
        drop(unused);
        segment.get_or_init(|| (0..SEGMENT).map(|_| Node::default()).collect());
        Some(first..first + size)
    }
}
