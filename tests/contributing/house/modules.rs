//! The modules of a crate by their files, and what each file uses of the others.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Tokens, after_group, is_word};

/// Begins the definition of a name.
const DEFINES: [&str; 8] = [
    "fn", "struct", "enum", "union", "trait", "type", "const", "static",
];

/// What the files of a crate use of each other: by file, of which other file which names.
pub type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The modules of a crate, by path: `opencl::queue`, the root without a name.
pub struct Modules(BTreeMap<String, Module>);

#[derive(Default)]
struct Module {
    file: String,
    imports: Vec<Import>,
    /// Names that are defined here.
    items: BTreeSet<String>,
    macros: BTreeSet<String>,
    /// Paths in the code, from the first word on.
    mentions: Vec<Vec<String>>,
}

/// A name of a `use`.
struct Import {
    path: Vec<String>,
    /// What it is called here; `*` for all names.
    name: String,
    is_public: bool,
}

/// Where a name is defined.
struct Place {
    module: String,
    /// `None` where the name is the module's own.
    item: Option<String>,
}

impl Modules {
    /// Reads a crate: the files below its `src/` with their texts.
    pub fn read(files: &[(String, String)]) -> Modules {
        let mut tests = Vec::new();
        let mut read = Vec::new();
        for (file, text) in files {
            let path = path_of(file);
            let tokens = Tokens::of(text);
            tests.extend(tokens.tests.iter().map(|name| join(&path, name)));
            read.push((file, path, tokens.all));
        }
        let mut modules = Modules(BTreeMap::new());
        for (file, path, tokens) in read {
            let is_below = |test: &String| path == *test || path.starts_with(&format!("{test}::"));
            if !is_test_file(file) && !tests.iter().any(is_below) {
                modules.add(file, path, &tokens);
            }
        }
        modules
    }

    fn add(&mut self, file: &str, path: String, tokens: &[&str]) {
        let mut module = Module {
            file: file.to_owned(),
            ..Module::default()
        };
        let mut at = 0;
        while at < tokens.len() {
            let before = at.checked_sub(1).map(|at| tokens[at]);
            match tokens[at..] {
                ["use", ..]
                    if before.is_none_or(|it| [";", "{", "}", "]", ")", "pub"].contains(&it)) =>
                {
                    let is_public = matches!(before, Some("pub" | ")"));
                    at = module.import(tokens, at + 1, &[], is_public);
                }
                ["pub", "(", ..] => at = after_group(tokens, at + 1),
                ["mod", name, "{", ..] => {
                    let end = after_group(tokens, at + 2);
                    self.add(file, join(&path, name), &tokens[at + 3..end - 1]);
                    at = end;
                }
                ["mod", _, ";", ..] => at += 3,
                ["macro_rules", "!", name, ..] => {
                    module.items.insert(name.to_owned());
                    module.macros.insert(name.to_owned());
                    at += 3;
                }
                [word, name, ..] if DEFINES.contains(&word) && is_word(name) && name != "fn" => {
                    module.items.insert(name.to_owned());
                    at += 2;
                }
                [word, ..] if is_word(word) && !matches!(before, Some("." | "::")) => {
                    let mut mention = vec![word.to_owned()];
                    at += 1;
                    while let ["::", next, ..] = tokens[at..]
                        && is_word(next)
                    {
                        mention.push(next.to_owned());
                        at += 2;
                    }
                    // A small word alone is more often a variable than an item, but for a call.
                    let follows = tokens.get(at).copied().unwrap_or_default();
                    if mention.len() > 1
                        || word.starts_with(char::is_uppercase)
                        || matches!(follows, "(" | "!")
                    {
                        if follows == "!" {
                            mention.push("!".to_owned());
                        }
                        module.mentions.push(mention);
                    }
                }
                _ => at += 1,
            }
        }
        self.0.insert(path, module);
    }

    /// What each file uses of the others.
    pub fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (path, module) in &self.0 {
            for place in self.used_by(path, module) {
                let Some(item) = place.item else { continue };
                let file = &self.0[&place.module].file;
                if *file != module.file {
                    let of = uses.entry(module.file.clone()).or_default();
                    of.entry(file.clone()).or_default().insert(item);
                }
            }
        }
        uses
    }

    /// Which parts of the crate, the modules at its root, each of them imports.
    pub fn parts(&self) -> BTreeMap<String, BTreeSet<String>> {
        let part = |path: &str| path.split("::").next().unwrap_or_default().to_owned();
        let mut parts = BTreeMap::new();
        for (path, module) in self.0.iter().filter(|(path, _)| !path.is_empty()) {
            let own: &mut BTreeSet<String> = parts.entry(part(path)).or_default();
            let imports = module.imports.iter().map(|import| &import.path);
            let paths = imports.chain(&module.mentions);
            let found = paths.filter_map(|words| self.find(path, words, &mut Vec::new()));
            own.extend(found.map(|place| part(&place.module)));
            own.remove(&part(path));
            own.remove("");
        }
        parts
    }

    fn used_by(&self, path: &str, module: &Module) -> Vec<Place> {
        let mut used = Vec::new();
        let mut find = |words: &[String]| used.extend(self.find(path, words, &mut Vec::new()));
        for import in module.imports.iter().filter(|import| !import.is_public) {
            find(&import.path);
        }
        for mention in &module.mentions {
            match mention.as_slice() {
                [name, mark] if mark == "!" => {
                    let words: Vec<String> = self.maker(path, name).into_iter().collect();
                    find(&words);
                }
                words => find(words),
            }
        }
        used
    }

    /// The path of a macro that is known in a module without a `use`: one of a module above it, or of a module beside
    /// or above it that says `macro_use`.
    fn maker(&self, path: &str, name: &str) -> Vec<String> {
        let is_known = |(own, module): &(&String, &Module)| {
            let above = own.rsplit_once("::").map(|(above, _)| above);
            module.macros.contains(name)
                && above
                    .is_some_and(|above| path.starts_with(&format!("{above}::")) || path == above)
        };
        let Some((own, _)) = self.0.iter().find(is_known) else {
            return Vec::new();
        };
        let words = ["crate"].into_iter().chain(own.split("::")).chain([name]);
        words.map(str::to_owned).collect()
    }

    /// Where a path leads from a module on; `None` where it leads out of the crate, or is no path but a variable.
    fn find(
        &self,
        from: &str,
        path: &[String],
        seen: &mut Vec<(String, Vec<String>)>,
    ) -> Option<Place> {
        let here = (from.to_owned(), path.to_vec());
        if seen.contains(&here) {
            return None;
        }
        seen.push(here);
        match path.split_first()? {
            (first, rest) if first == "crate" => self.descend("", rest, seen),
            (first, rest) if first == "self" => self.descend(from, rest, seen),
            (first, rest) if first == "super" => {
                let mut above = parent(from);
                let mut rest = rest;
                while let Some(("super", more)) =
                    rest.split_first().map(|(it, more)| (it.as_str(), more))
                {
                    above = parent(above);
                    rest = more;
                }
                self.descend(above, rest, seen)
            }
            _ => self.known(from, path, seen),
        }
    }

    /// Below a module that a path names, a name that is not seen is one that a macro defines there.
    fn descend(
        &self,
        module: &str,
        path: &[String],
        seen: &mut Vec<(String, Vec<String>)>,
    ) -> Option<Place> {
        if path.is_empty() {
            return Some(Place {
                module: module.to_owned(),
                item: None,
            });
        }
        self.known(module, path, seen).or_else(|| match path {
            [name] if !module.is_empty() => Some(Place {
                module: module.to_owned(),
                item: Some(name.clone()),
            }),
            _ => None,
        })
    }

    fn known(
        &self,
        module: &str,
        path: &[String],
        seen: &mut Vec<(String, Vec<String>)>,
    ) -> Option<Place> {
        let (name, rest) = path.split_first()?;
        let child = join(module, name);
        if self.0.contains_key(&child) {
            return self.descend(&child, rest, seen);
        }
        let own = self.0.get(module)?;
        let is_named = |import: &&Import| import.name == *name && import.path != [name.as_str()];
        for import in own.imports.iter().filter(is_named) {
            match self.find(module, &import.path, seen) {
                Some(Place { module, item: None }) => return self.descend(&module, rest, seen),
                None => {}
                found => return found,
            }
        }
        if own.items.contains(name) {
            return Some(Place {
                module: module.to_owned(),
                item: Some(name.clone()),
            });
        }
        let mut all = own.imports.iter().filter(|import| import.name == "*");
        all.find_map(|import| {
            let place = self.find(module, &import.path, seen)?;
            match place.item {
                None => self.known(&place.module, path, seen),
                Some(_) => None,
            }
        })
    }
}

impl Module {
    /// Reads what stands after `use`, or in its braces. Returns the place after it.
    fn import(&mut self, tokens: &[&str], at: usize, before: &[String], is_public: bool) -> usize {
        let mut path = before.to_vec();
        let mut at = at;
        loop {
            match tokens[at..] {
                ["{", ..] => {
                    let end = after_group(tokens, at);
                    at += 1;
                    while at < end - 1 {
                        at = self.import(tokens, at, &path, is_public);
                        at += usize::from(tokens[at] == ",");
                    }
                    return end;
                }
                ["::", ..] => at += 1,
                ["*", ..] => {
                    let name = "*".to_owned();
                    self.imports.push(Import {
                        path,
                        name,
                        is_public,
                    });
                    return at + 1;
                }
                [word, "::", ..] => {
                    path.push(word.to_owned());
                    at += 2;
                }
                [word, ..] => {
                    if word != "self" || path.is_empty() {
                        path.push(word.to_owned());
                    }
                    at += 1;
                    let mut name = path.last().cloned().unwrap_or_default();
                    if let ["as", other, ..] = tokens[at..] {
                        name = other.to_owned();
                        at += 2;
                    }
                    self.imports.push(Import {
                        path,
                        name,
                        is_public,
                    });
                    return at;
                }
                [] => return at,
            }
        }
    }
}

/// `src/opencl/queue.rs` → `opencl::queue`.
fn path_of(file: &str) -> String {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let path = path.strip_prefix("src/").unwrap_or(path);
    match path {
        "lib" => String::new(),
        path => path.replace('/', "::"),
    }
}

fn is_test_file(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("/tests/")
}

fn join(module: &str, name: &str) -> String {
    match module {
        "" => name.to_owned(),
        module => format!("{module}::{name}"),
    }
}

fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(above, _)| above)
}
