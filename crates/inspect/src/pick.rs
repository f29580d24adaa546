//! Picking values out of a message by their place, with the offset of each.
//!
//! This is a walk of the grammar, not a parser: it builds no values, so a message of any depth
//! costs no stack, and offsets are those of the bytes as they stand.

use crate::grammar::{Grammar, Sink, Text, ValueKind};
use crate::string::unescape;

/// One step of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The member of this name, or the item of this index where the container is an array.
    To(Box<[u8]>),
    /// Every member or item.
    Each,
}

/// Where a value stands, from the message down.
pub(crate) type Place = Vec<Step>;

/// A place whose names are these; `*` is every member or item.
pub(crate) fn place(names: &[&str]) -> Place {
    let step = |name: &&str| match *name {
        "*" => Step::Each,
        name => Step::To(name.as_bytes().into()),
    };
    names.iter().map(step).collect()
}

/// The place that a JSON pointer names.
pub(crate) fn place_of_pointer(pointer: &str) -> Place {
    let names = pointer.split('/').skip(1);
    names
        .map(|name| Step::To(name.replace("~1", "/").replace("~0", "~").into_bytes().into()))
        .collect()
}

/// A value that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picked {
    /// The number of the place.
    pub(crate) place: usize,
    /// The offset of the value's first byte.
    pub(crate) at: u64,
    /// The offset after its last bracket; None for what is no container.
    pub(crate) end: Option<u64>,
    pub(crate) kind: ValueKind,
    /// The raw text of what is no container; None if it is longer than is kept.
    pub(crate) text: Option<Box<[u8]>>,
}

/// The values at these places, in the order of the text. `at` is the offset of its first byte.
/// Where a name stands twice in an object each value is found; the last one counts, as for most
/// parsers.
pub(crate) fn pick(text: &[u8], at: u64, places: &[Place]) -> Vec<Picked> {
    let mut picker = Picker {
        places,
        deepest: places.iter().map(Vec::len).max().unwrap_or(0),
        path: Vec::new(),
        containers: Vec::new(),
        found: Vec::new(),
        open: Vec::new(),
    };
    let mut grammar = Grammar::new();
    grammar.feed(text, at, &mut picker);
    _ = grammar.finish(&mut picker);
    picker.found
}

struct Picker<'p> {
    places: &'p [Place],
    deepest: usize,
    /// The name or index of each open container's current value, down to the deepest place.
    path: Vec<Option<Box<[u8]>>>,
    /// For each open container down to the deepest place, the index of an array's next item.
    containers: Vec<Option<u64>>,
    found: Vec<Picked>,
    /// The found containers that are open, with their depths.
    open: Vec<(usize, usize)>,
}

impl Picker<'_> {
    /// A value begins whose depth is `depth`.
    fn value(&mut self, kind: ValueKind, text: Option<Text<'_>>, at: u64, depth: usize) {
        if depth > self.deepest {
            return;
        }
        if let Some(Some(index)) =
            depth.checked_sub(1).and_then(|outer| self.containers.get_mut(outer))
        {
            let name = index.to_string().into_bytes().into();
            *index += 1;
            self.path.truncate(depth - 1);
            self.path.push(Some(name));
        }
        let path = &self.path;
        let here = |place: &Place| {
            place.len() == depth
                && place.iter().zip(path).all(|(step, name)| match (step, name) {
                    (Step::Each, _) => true,
                    (Step::To(wanted), Some(name)) => wanted == name,
                    (Step::To(_), None) => false,
                })
        };
        for (number, _) in self.places.iter().enumerate().filter(|(_, place)| here(place)) {
            if text.is_none() {
                self.open.push((self.found.len(), depth));
            }
            let text = match text {
                Some(Text::Whole(text)) => Some(text.into()),
                Some(Text::TooLong) | None => None,
            };
            self.found.push(Picked { place: number, at, end: None, kind, text });
        }
    }
}

impl Sink for Picker<'_> {
    fn open(&mut self, kind: ValueKind, at: u64, depth: usize) {
        self.value(kind, None, at, depth);
        if depth < self.deepest {
            self.containers.truncate(depth);
            self.containers.push((kind == ValueKind::Array).then_some(0));
        }
    }

    fn close(&mut self, end: u64, depth: usize) {
        while let Some((found, _)) = self.open.pop_if(|(_, of)| *of == depth) {
            self.found[found].end = Some(end);
        }
    }

    fn key(&mut self, text: Text<'_>, _: u64, depth: usize) {
        if depth > self.deepest {
            return;
        }
        self.path.truncate(depth - 1);
        self.path.push(match text {
            Text::Whole(raw) => Some(unescape(raw).into()),
            Text::TooLong => None,
        });
    }

    fn scalar(&mut self, kind: ValueKind, text: Text<'_>, at: u64, depth: usize) {
        self.value(kind, Some(text), at, depth);
    }

    fn lone_surrogate(&mut self, _: u64) {}
}

#[cfg(test)]
mod tests {
    use super::{Picked, pick, place, place_of_pointer};

    const TEXT: &[u8] = br#" {"a":[{"b":1},{"b":[2]}],"c/d~":{"\u0065":"x"},"a2":{"b":3}}"#;

    fn texts(names: &[&str]) -> Vec<String> {
        let found = pick(TEXT, 0, &[place(names)]);
        found.iter().map(text).collect()
    }

    fn text(picked: &Picked) -> String {
        let at = picked.at as usize;
        match (&picked.text, picked.end) {
            (Some(text), None) => {
                assert!(TEXT[at..].starts_with(text));
                String::from_utf8(text.to_vec()).unwrap()
            }
            (None, Some(end)) => String::from_utf8(TEXT[at..end as usize].to_vec()).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_are_found_at_their_places() {
        assert_eq!(texts(&["a", "0", "b"]), ["1"]);
        assert_eq!(texts(&["a", "1", "b"]), ["[2]"]);
        assert_eq!(texts(&["a", "1", "b", "0"]), ["2"]);
        assert_eq!(texts(&["a", "*", "b"]), ["1", "[2]"]);
        assert_eq!(texts(&["a2", "b"]), ["3"]);
        assert_eq!(texts(&["c/d~", "e"]), [r#""x""#]);
        assert_eq!(texts(&[]), [&str::from_utf8(TEXT).unwrap()[1..]]);
        assert!(texts(&["b"]).is_empty());
        assert!(texts(&["a", "2"]).is_empty());
    }

    #[test]
    fn several_places_are_found_in_one_walk() {
        let places = [place(&["a2"]), place_of_pointer("/c~1d~0/e"), place(&["a", "0"])];
        let found = pick(TEXT, 0, &places);
        let numbers: Vec<usize> = found.iter().map(|picked| picked.place).collect();
        assert_eq!(numbers, [2, 1, 0]);
        assert_eq!(
            found.iter().map(text).collect::<Vec<_>>(),
            [r#"{"b":1}"#, r#""x""#, r#"{"b":3}"#]
        );
    }

    #[test]
    fn offsets_count_from_where_the_text_begins() {
        assert_eq!(pick(b"[7]", 100, &[place(&["0"])])[0].at, 101);
    }

    #[test]
    fn of_two_members_with_one_name_both_are_found() {
        let found = pick(br#"{"a":1,"a":2}"#, 0, &[place(&["a"])]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn depth_costs_nothing() {
        let deep =
            [br#"{"x":"#.as_slice(), &[b'['; 100_000], &[b']'; 100_000], br#","y":1}"#].concat();
        assert_eq!(pick(&deep, 0, &[place(&["y"])]).len(), 1);
    }
}
