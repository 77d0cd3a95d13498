//! The list of all games and techniques. One line adds one.
