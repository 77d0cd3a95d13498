use serde::{Deserialize, Serialize};

/// A command's arguments and options, as values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The subcommand and its arguments: `["run", "configs/reversi.toml"]`.
    pub arguments: Vec<String>,
    /// The options in order, each as its long name without dashes and its values: `["budget", "5m"]`.
    pub options: Vec<Vec<String>>,
}

impl Given {
    /// The values of an option, in order.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let own = self.options.iter().filter(move |option| option[0] == name);
        own.flat_map(|option| option[1..].iter().map(String::as_str))
    }

    /// The words of the options that `is_kept`, as typed.
    pub fn option_words(&self, is_kept: impl Fn(&str) -> bool) -> Vec<String> {
        let kept = self.options.iter().filter(|option| is_kept(&option[0]));
        let words = kept.flat_map(|option| match &option[..] {
            [name, value] if value.starts_with('-') => vec![format!("--{name}={value}")],
            [name, values @ ..] => [&[format!("--{name}")], values].concat(),
            [] => Vec::new(),
        });
        words.collect()
    }

    /// The words of the command without the program, and with the options that `is_kept`.
    pub fn words(&self, is_kept: impl Fn(&str) -> bool) -> Vec<String> {
        [self.arguments.clone(), self.option_words(is_kept)].concat()
    }
}
