use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The value of an axis, an option or a parameter. A weight matrix is a list of lists of whole numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "text, a whole number below 2^63, true, false or a list of these"
)]
pub enum Value {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Int(i64),
    /// Any other word or phrase: `8x8`, `board`.
    Text(String),
    /// A list, which may contain lists.
    List(Vec<Value>),
}

impl Value {
    /// Returns the number, or `None` if the value is not a whole number.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the text, or `None` if the value is not text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Parses a number, `true`, `false`, a list in the form of [`fmt::Display`] (`[1,2]`), or text.
    pub fn parse(text: &str) -> Value {
        if let Ok(number) = text.parse::<i64>() {
            return Value::Int(number);
        }
        match text {
            "true" => Value::Flag(true),
            "false" => Value::Flag(false),
            _ if text.starts_with('[') => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::Text(text.to_owned()))
            }
            _ => Value::Text(text.to_owned()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(text),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Value::to_string).collect();
                write!(f, "[{}]", items.join(","))
            }
        }
    }
}

/// Named values, such as a technique's parameters or a game's options. Sorted by name.
pub type Params = BTreeMap<String, Value>;

/// One value on each of an experiment's axes, in the order of the axes: `board=16x16 depth=4`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Case(pub Vec<(String, Value)>);

impl Case {
    /// Returns true if the case has this value on an axis. Compares values as text, because rows store text.
    pub fn has(&self, axis: &str, value: &Value) -> bool {
        let is = |own: &Value| own == value || own.to_string() == value.to_string();
        self.get(axis).is_some_and(is)
    }

    /// Returns true if the case has all values of a partial case.
    pub fn agrees(&self, part: &Case) -> bool {
        part.0.iter().all(|(axis, value)| self.has(axis, value))
    }

    /// Returns the value on an axis.
    pub fn get(&self, axis: &str) -> Option<&Value> {
        let (_, value) = self.0.iter().find(|(name, _)| name == axis)?;
        Some(value)
    }

    /// Returns true if the effort is a time. Samples then take the same time, but their number of playouts varies.
    pub fn is_clocked(&self) -> bool {
        self.text("effort").is_some()
    }

    /// Returns the value on an axis, if it is a whole number.
    pub fn int(&self, axis: &str) -> Option<i64> {
        self.get(axis).and_then(Value::as_int)
    }

    /// Returns the value on an axis, if it is text.
    pub fn text(&self, axis: &str) -> Option<&str> {
        self.get(axis).and_then(Value::as_text)
    }

    /// Returns the case with one axis removed.
    pub fn without(&self, axis: &str) -> Case {
        let mut rest = self.clone();
        rest.0.retain(|(name, _)| name != axis);
        rest
    }

    /// Parses the output of [`fmt::Display`]: `key=value` pairs separated by spaces. `None` if a word has no `=`.
    pub fn parse(text: &str) -> Option<Case> {
        let axes = text.split_whitespace().map(|word| {
            let (key, value) = word.split_once('=')?;
            Some((key.to_owned(), Value::parse(value)))
        });
        axes.collect::<Option<_>>().map(Case)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        f.write_str(&axes.collect::<Vec<_>>().join(" "))
    }
}
