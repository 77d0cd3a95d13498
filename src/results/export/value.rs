use std::borrow::Cow;

/// One value of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A text; never empty.
    Text(Cow<'a, str>),
    /// A whole number.
    Whole(u64),
    /// There is none.
    Missing,
}

impl<'a> Value<'a> {
    /// A text, which is missing where it is empty.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Value<'a> {
        let text = text.into();
        match text.is_empty() {
            true => Value::Missing,
            false => Value::Text(text),
        }
    }
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Texts.
    Text,
    /// Whole numbers.
    Whole,
}

/// A column's name and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Letters, digits and `_`.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}
