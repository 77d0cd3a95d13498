/// Declares a game's techniques, a module each and the list of them in this order. Each module is
/// the file of that name beside the list, and has a `pub const TECHNIQUE: Technique`.
///
/// `cargo fmt` does not follow modules that a macro declares; format those files by name.
macro_rules! techniques {
    ($($module:ident,)*) => {
        $(mod $module;)*

        /// This game's techniques, in the order that `bench list` prints them.
        pub static TECHNIQUES: &[$crate::techniques::Technique] = &[$($module::TECHNIQUE,)*];
    };
}
pub(crate) use techniques;
