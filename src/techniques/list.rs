/// Declares the modules of a game's techniques, and lists the techniques in this order. A module is the file of the
/// same name next to the list. It defines `TECHNIQUE`, or the constants in parentheses. `= EXPRESSION` lists a
/// technique without a module, and `trees(RULES)` lists all tree searches. Each entry's game is `GAME`.
///
/// `cargo fmt` does not find modules that a macro declares. Pass their files to `rustfmt`.
macro_rules! techniques {
    (@ [$($known:tt)*]) => {
        /// This game's techniques, in the order of `bench list`.
        pub static TECHNIQUES: &[$crate::techniques::Technique] = &[$($known)*];
    };
    (@ [$($known:tt)*] = $technique:expr, $($rest:tt)*) => {
        techniques!(@ [$($known)* $technique.of(GAME.name),] $($rest)*);
    };
    (@ [$($known:tt)*] trees($rules:ty), $($rest:tt)*) => {
        techniques!(@ [$($known)*]
            = $crate::techniques::tasks::tree_search::serial::<$rules>(),
            = $crate::techniques::tasks::tree_search::rayon::<$rules>(),
            = $crate::techniques::tasks::tree_search::batched_serial::<$rules>(),
            = $crate::techniques::tasks::tree_search::batched_rayon::<$rules>(),
            = $crate::techniques::tasks::tree_search::device::<$rules>(),
            = $crate::techniques::tasks::blocks::trees::technique::<$rules>(),
            = $crate::techniques::tasks::blocks::host::technique::<$rules>(),
            $($rest)*
        );
    };
    (@ [$($known:tt)*] $module:ident, $($rest:tt)*) => {
        mod $module;
        techniques!(@ [$($known)* $module::TECHNIQUE.of(GAME.name),] $($rest)*);
    };
    (@ [$($known:tt)*] $module:ident($($name:ident),+), $($rest:tt)*) => {
        mod $module;
        techniques!(@ [$($known)* $($module::$name.of(GAME.name),)+] $($rest)*);
    };
    ($($modules:tt)*) => { techniques!(@ [] $($modules)*); };
}
pub(crate) use techniques;

/// Declares whole-number parameters, written as `KIND ENTRY, READER: NAME, RANGE, DEFAULT, ALLOWED;`. A parameter of
/// kind `auto` also accepts the word `auto`, for which its reader returns `None`.
macro_rules! whole_numbers {
    (@type auto) => { Option<usize> };
    (@type number) => { usize };
    (@read auto $entry:ident $value:ident $range:expr) => { $entry.whole_or_auto($value, $range) };
    (@read number $entry:ident $value:ident $range:expr) => { $entry.whole($value, $range) };
    ($(
        $(#[$doc:meta])*
        $vis:vis $kind:ident $entry:ident, $read:ident:
            $name:literal, $range:expr, $default:literal, $allowed:expr;
    )*) => {$(
        $(#[$doc])*
        $vis const $entry: $crate::words::ParamEntry = $crate::words::ParamEntry {
            name: $name,
            allowed: $allowed,
            default: $default,
            check: |value| $read(value).map(drop),
        };

        #[doc = concat!("Reads [`", stringify!($entry), "`].")]
        $vis fn $read(
            value: &$crate::words::Value,
        ) -> Result<$crate::techniques::list::whole_numbers!(@type $kind), String> {
            $crate::techniques::list::whole_numbers!(@read $kind $entry value $range)
        }
    )*};
}
pub(crate) use whole_numbers;

/// Declares parameters with a few values, written as `ENTRY, READER -> TYPE: NAME, {TEXT => VALUE}, DEFAULT, ALLOWED;`.
macro_rules! choices {
    ($(
        $(#[$doc:meta])*
        $vis:vis $entry:ident, $read:ident -> $type:ty:
            $name:expr, {$($text:literal => $value:expr),+}, $default:literal, $allowed:expr;
    )*) => {$(
        $(#[$doc])*
        $vis const $entry: $crate::words::ParamEntry = $crate::words::ParamEntry {
            name: $name,
            allowed: $allowed,
            default: $default,
            check: |value| $read(value).map(drop),
        };

        #[doc = concat!("Reads [`", stringify!($entry), "`].")]
        $vis fn $read(value: &$crate::words::Value) -> Result<$type, String> {
            let known = [$(($text, $value)),+].into_iter();
            let mut known = known.map(|(text, read)| ($crate::words::Value::parse(text), read));
            let found = known.find(|(known, _)| known == value);
            found.map(|(_, read)| read).ok_or_else(|| $entry.refused(value))
        }
    )*};
}
pub(crate) use choices;
