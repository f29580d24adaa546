//! Duplicate keys below the envelope, up to a limit per message.

use std::collections::BTreeSet;

/// The number of keys of one message among which duplicates are looked for.
pub(crate) const MAX_KEYS: usize = 4096;
/// The depth down to which duplicates are looked for.
pub(crate) const MAX_DEPTH: usize = 128;
/// The length of all keys of one message among which duplicates are looked for, in bytes.
const MAX_TEXT: usize = 1024 * 1024;
const SLOTS: usize = 2 * MAX_KEYS;
/// The most slots that are looked at for one key: keys chosen to collide are put in order instead.
const MAX_PROBES: usize = 64;

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    First,
    Again,
    NotChecked,
}

/// The keys of one message. Keys are compared as text, never by hash alone.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// Open addressing; 0 is empty, else the number of an entry plus one.
    slots: Vec<u16>,
    /// Keys for which there was no slot, with the serial numbers of their objects.
    crowded: BTreeSet<(u32, Box<[u8]>)>,
    /// The serial number of the open object at each depth.
    objects: Vec<u32>,
    next_object: u32,
}

#[derive(Debug)]
struct Entry {
    object: u32,
    start: u32,
    end: u32,
    slot: u16,
}

impl Keys {
    pub(crate) fn reset(&mut self) {
        for entry in self.entries.drain(..) {
            self.slots[usize::from(entry.slot)] = 0;
        }
        self.crowded.clear();
        self.text.clear();
        self.objects.clear();
        self.next_object = 0;
    }

    /// An object opens whose keys will have this depth.
    pub(crate) fn open(&mut self, depth: usize) {
        if depth <= MAX_DEPTH {
            self.objects.resize(depth + 1, 0);
            self.next_object = self.next_object.wrapping_add(1);
            self.objects[depth] = self.next_object;
        }
    }

    /// Takes the next key of the innermost open object.
    pub(crate) fn insert(&mut self, key: &[u8], depth: usize) -> Seen {
        if depth > MAX_DEPTH
            || self.entries.len() + self.crowded.len() == MAX_KEYS
            || self.text.len() + key.len() > MAX_TEXT
        {
            return Seen::NotChecked;
        }
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, 0);
        }
        let object = self.objects.get(depth).copied().unwrap_or(0);
        let hash = hash(object, key);
        let mut slot = hash as usize % SLOTS;
        // Odd, so that every slot is reached; of other bits of the hash, so that keys do not
        // cluster.
        let stride = (hash >> 32) as usize | 1;
        let mut probes = 0;
        while let Some(number) = self.slots[slot].checked_sub(1) {
            let entry = &self.entries[usize::from(number)];
            if entry.object == object && &self.text[entry.start as usize..entry.end as usize] == key
            {
                return Seen::Again;
            }
            probes += 1;
            if probes == MAX_PROBES {
                return self.insert_crowded(object, key);
            }
            slot = slot.wrapping_add(stride) % SLOTS;
        }
        let start = self.text.len() as u32;
        self.text.extend_from_slice(key);
        self.entries.push(Entry { object, start, end: self.text.len() as u32, slot: slot as u16 });
        self.slots[slot] = self.entries.len() as u16;
        Seen::First
    }
}

impl Keys {
    fn insert_crowded(&mut self, object: u32, key: &[u8]) -> Seen {
        if !self.crowded.insert((object, key.into())) {
            return Seen::Again;
        }
        // It counts as text like any other.
        self.text.extend_from_slice(key);
        Seen::First
    }
}

/// FNV-1a over the object's serial number and the key.
fn hash(object: u32, key: &[u8]) -> u64 {
    object.to_le_bytes().iter().chain(key).fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::{Keys, MAX_DEPTH, MAX_KEYS, MAX_TEXT, Seen};

    #[test]
    fn the_same_key_is_seen_again_in_its_own_object_only() {
        let mut keys = Keys::default();
        keys.open(1);
        assert_eq!(keys.insert(b"a", 1), Seen::First);
        keys.open(2);
        assert_eq!(keys.insert(b"a", 2), Seen::First);
        assert_eq!(keys.insert(b"a", 2), Seen::Again);
        keys.open(2);
        assert_eq!(keys.insert(b"a", 2), Seen::First);
        assert_eq!(keys.insert(b"a", 1), Seen::Again);
        keys.reset();
        keys.open(1);
        assert_eq!(keys.insert(b"a", 1), Seen::First);
    }

    #[test]
    fn beyond_the_limit_nothing_is_claimed() {
        let mut keys = Keys::default();
        keys.open(1);
        for number in 0..MAX_KEYS {
            assert_eq!(keys.insert(number.to_string().as_bytes(), 1), Seen::First);
        }
        assert_eq!(keys.insert(b"0", 1), Seen::NotChecked);
        // For so many there is room enough.
        assert!(keys.crowded.is_empty());
        keys.reset();
        keys.open(1);
        assert_eq!(keys.insert(b"0", 1), Seen::First);
        assert_eq!(keys.insert(b"0", 1), Seen::Again);
    }

    #[test]
    fn keys_in_one_slot_are_told_apart() {
        let mut keys = Keys::default();
        keys.open(1);
        let collide: Vec<String> = (0_u64..)
            .map(|number| number.to_string())
            .filter(|key| super::hash(1, key.as_bytes()) as usize % super::SLOTS == 7)
            .take(super::MAX_PROBES + 1)
            .collect();
        // One more than are looked at for one key: each goes its own way from the shared slot.
        for key in &collide {
            assert_eq!(keys.insert(key.as_bytes(), 1), Seen::First, "{key}");
        }
        for key in &collide {
            assert_eq!(keys.insert(key.as_bytes(), 1), Seen::Again, "{key}");
        }
        assert!(keys.crowded.is_empty());
    }

    #[test]
    fn in_a_full_neighbourhood_keys_are_told_apart_too() {
        let mut keys = Keys::default();
        keys.open(1);
        assert_eq!(keys.insert(b"first", 1), Seen::First);
        keys.slots.fill(1);
        assert_eq!(keys.insert(b"first", 1), Seen::Again);
        for key in [b"second", b"third."] {
            assert_eq!(keys.insert(key, 1), Seen::First);
            assert_eq!(keys.insert(key, 1), Seen::Again);
        }
        keys.open(2);
        assert_eq!(keys.insert(b"second", 2), Seen::First);
        assert_eq!(keys.insert(b"second", 1), Seen::Again);
        assert_eq!(keys.text, b"firstsecondthird.second");
        keys.reset();
        assert!(keys.crowded.is_empty());
    }

    #[test]
    fn crowded_keys_count_like_others() {
        let mut keys = Keys::default();
        keys.open(1);
        assert_eq!(keys.insert(b"first", 1), Seen::First);
        keys.slots.fill(1);
        for number in 1..MAX_KEYS {
            assert_eq!(keys.insert(number.to_string().as_bytes(), 1), Seen::First);
        }
        assert_eq!(keys.insert(b"0", 1), Seen::NotChecked);
    }

    #[test]
    fn beyond_the_depth_nothing_is_claimed() {
        let mut keys = Keys::default();
        for depth in [MAX_DEPTH - 1, MAX_DEPTH] {
            keys.open(depth);
            assert_eq!(keys.insert(b"a", depth), Seen::First);
            assert_eq!(keys.insert(b"a", depth), Seen::Again);
        }
        for depth in [MAX_DEPTH + 1, MAX_DEPTH + 2] {
            keys.open(depth);
            assert_eq!(keys.insert(b"a", depth), Seen::NotChecked);
            assert_eq!(keys.insert(b"a", depth), Seen::NotChecked);
        }
    }

    #[test]
    fn beyond_a_mebibyte_of_text_nothing_is_claimed() {
        let mut keys = Keys::default();
        keys.open(1);
        let long = |letter: u8| vec![letter; 1024 * 1024 / 2];
        assert_eq!(keys.insert(&long(b'a'), 1), Seen::First);
        assert_eq!(keys.insert(&[long(b'b'), b"b".to_vec()].concat(), 1), Seen::NotChecked);
        assert_eq!(keys.insert(&long(b'b'), 1), Seen::First);
        assert_eq!(keys.text.len(), MAX_TEXT);
        assert_eq!(keys.insert(b"c", 1), Seen::NotChecked);
        assert_eq!(keys.insert(b"", 1), Seen::First);
    }

    /// The published value of FNV-1a, 64 bits, for `foobar`.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(super::hash(u32::from_le_bytes(*b"foob"), b"ar"), 0x8594_4171_F739_67E8);
    }
}
