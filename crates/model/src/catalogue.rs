//! The rule catalogue: the single place where a rule's layer, level, source and words stand.

mod framing;
mod json;
mod jsonrpc;
mod lifecycle;
mod mcp;

use crate::rule::{Rule, RuleId};

/// Every rule, in the order that breaks ties between findings.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue {
    layers: [&'static [Rule]; 5],
}

static CATALOGUE: Catalogue = Catalogue {
    layers: [framing::RULES, json::RULES, jsonrpc::RULES, mcp::RULES, lifecycle::RULES],
};

/// The catalogue.
#[must_use]
pub fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}

impl Catalogue {
    /// Every rule, in order.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.layers.into_iter().flatten()
    }

    /// The row of a rule.
    #[must_use]
    pub fn rule(&self, id: RuleId) -> &'static Rule {
        let mut index = id as usize;
        for layer in self.layers {
            match layer.get(index) {
                Some(rule) => return rule,
                None => index -= layer.len(),
            }
        }
        unreachable!("every rule id has a row: a test of this module checks it")
    }
}

#[cfg(test)]
mod tests {
    use super::catalogue;
    use crate::rule::{Layer, Level, RuleId};

    #[test]
    fn every_rule_id_has_its_row_in_its_place() {
        let rows: Vec<RuleId> = catalogue().rules().map(|rule| rule.id).collect();
        assert_eq!(rows, RuleId::ALL);
        assert!(RuleId::ALL.iter().all(|id| id.rule().id == *id));
    }

    #[test]
    fn rules_stand_in_the_order_of_their_layers() {
        let layers: Vec<Layer> = catalogue().rules().map(|rule| rule.layer).collect();
        assert!(layers.is_sorted());
    }

    #[test]
    fn names_are_kebab_case_and_parse_back() {
        for id in RuleId::ALL {
            assert!(id.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
            assert_eq!(id.name().parse(), Ok(*id));
        }
        assert!("no-such-rule".parse::<RuleId>().is_err());
    }

    #[test]
    fn every_row_is_filled_in() {
        for rule in catalogue().rules() {
            let texts = [
                rule.spec.section,
                rule.spec.quote,
                rule.summary,
                rule.explanation,
                rule.clients,
                rule.mend,
            ];
            assert!(texts.iter().all(|text| text.len() > 10), "{} has an empty field", rule.id);
            assert_ne!(rule.level, Level::Legal, "{} is legal by default", rule.id);
        }
    }
}
