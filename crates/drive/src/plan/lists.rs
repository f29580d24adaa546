//! The lists that a server announces, page by page.

use std::collections::HashSet;

use model::{List, Untested};

use super::message::{self, Outgoing};
use super::reply::{self, Unreadable};
use super::tools::Tool;
use crate::scenario::Era;

/// The most pages that are asked for of one list.
const MAX_PAGES: u32 = 256;

/// The lists that are still asked for, and the tools that they held.
#[derive(Default)]
pub(super) struct Lists {
    open: Vec<Pages>,
    pub(super) tools: Vec<Tool>,
}

/// A list that the server announced.
struct Pages {
    list: List,
    page: u32,
    seen: HashSet<Box<str>>,
    /// The cursor of the page to ask for next. None once the list has ended.
    next: Option<Box<str>>,
}

/// Whether the tools are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Tools,
    Nothing,
}

impl Lists {
    pub(super) fn new(lists: impl IntoIterator<Item = List>) -> Self {
        let open = lists.into_iter().map(Pages::new).collect();
        Self { open, tools: Vec::new() }
    }

    pub(super) fn are_finished(&self) -> bool {
        self.open.is_empty()
    }

    /// The requests for the next page of every list that has one.
    pub(super) fn requests(&self, era: Era) -> impl Iterator<Item = Outgoing> {
        self.open
            .iter()
            .map(move |pages| message::list(era, pages.list, pages.page, pages.next.as_deref()))
    }

    /// Takes the replies to the requests, in their order; None stands for an error.
    ///
    /// # Errors
    ///
    /// What cannot be read, or does not end.
    pub(super) fn take(
        &mut self,
        replies: Vec<Option<Box<[u8]>>>,
        wanted: Wanted,
    ) -> Result<(), Untested> {
        for (pages, reply) in self.open.iter_mut().zip(replies) {
            let Some(body) = reply else {
                pages.next = None;
                continue;
            };
            let read = reply::result(&body).and_then(|page| {
                pages.turn(reply::next_cursor(&page)?);
                // Without a call to make, nothing depends on the tools.
                if pages.list == List::Tools && wanted == Wanted::Tools {
                    reply::tools(&page)
                } else {
                    Ok(Vec::new())
                }
            });
            let method = pages.list.method().into();
            match read {
                Ok(tools) => self.tools.extend(tools),
                Err(Unreadable) => return Err(Untested::ReplyNotReadable { method }),
            }
            if pages.next.is_some() && pages.page > MAX_PAGES {
                return Err(Untested::ListNotFinished { method });
            }
        }
        self.open.retain(|pages| pages.next.is_some());
        Ok(())
    }
}

impl Pages {
    fn new(list: List) -> Self {
        Self { list, page: 1, seen: HashSet::new(), next: None }
    }

    /// Goes on to the page that `cursor` stands for, if it is one to ask for.
    fn turn(&mut self, cursor: Option<&str>) {
        self.next = cursor.filter(|cursor| !self.seen.contains(*cursor)).map(Box::from);
        if let Some(next) = &self.next {
            self.seen.insert(next.clone());
            self.page += 1;
        }
    }
}
