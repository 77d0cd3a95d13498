/// Declares the modules of a game's techniques and lists them in this order. A module is the file of that
/// name beside the list, and has a `pub const TECHNIQUE: Technique`.
///
/// `cargo fmt` does not follow modules that a macro declares; format those files by name.
macro_rules! techniques {
    ($($module:ident,)*) => {
        $(mod $module;)*

        /// This game's techniques, in the order of `bench list`.
        pub static TECHNIQUES: &[$crate::techniques::Technique] = &[$($module::TECHNIQUE,)*];
    };
}
pub(crate) use techniques;
