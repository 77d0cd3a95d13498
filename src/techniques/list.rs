/// Declares the modules of a game's techniques and lists them in this order. A module is the file of that name beside
/// the list. It has a `pub const TECHNIQUE: Technique`, or several of the names in parentheses. `= EXPRESSION` lists a
/// technique without a module.
///
/// `cargo fmt` does not follow modules that a macro declares; format those files by name.
macro_rules! techniques {
    (@ [$($known:tt)*]) => {
        /// This game's techniques, in the order of `bench list`.
        pub static TECHNIQUES: &[$crate::techniques::Technique] = &[$($known)*];
    };
    (@ [$($known:tt)*] = $technique:expr, $($rest:tt)*) => {
        techniques!(@ [$($known)* $technique,] $($rest)*);
    };
    (@ [$($known:tt)*] $module:ident, $($rest:tt)*) => {
        mod $module;
        techniques!(@ [$($known)* $module::TECHNIQUE,] $($rest)*);
    };
    (@ [$($known:tt)*] $module:ident($($name:ident),+), $($rest:tt)*) => {
        mod $module;
        techniques!(@ [$($known)* $($module::$name,)+] $($rest)*);
    };
    ($($modules:tt)*) => { techniques!(@ [] $($modules)*); };
}
pub(crate) use techniques;
