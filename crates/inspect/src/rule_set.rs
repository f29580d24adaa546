//! Which rules are in force, and how hard.

use model::{Level, LevelContext, ProtocolVersion, RuleId};

use crate::schema::MessageSchema;

/// The largest frame by default, in bytes without its 0x0A: 64 MiB.
pub const DEFAULT_MAX_FRAME_BYTES: u64 = 64 * 1024 * 1024;

/// What the user wants of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// The level of the catalogue.
    Catalogue,
    /// A finding fails the run.
    Deny,
    /// A finding is advice.
    Allow,
    /// The rule does not exist. For mutants: it makes the detector blind.
    Off,
}

/// Whether replies are matched with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correlation {
    /// There is a client side whose requests are events.
    On,
    /// Only the server's bytes are known.
    Off,
}

/// What becomes of accepted messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Messages {
    /// Each step hands its messages back.
    HandedBack,
    /// Nobody takes them. They are counted.
    Counted,
}

/// The rules of one run.
#[derive(Clone, Debug)]
pub struct RuleSet {
    settings: [Setting; RuleId::ALL.len()],
    /// The revision by which a recording is judged, whatever its initialize result says: from
    /// the start where there is no client side, else from the initialize reply on. None takes
    /// it from the initialize result.
    pub protocol: Option<ProtocolVersion>,
    /// Whether replies are matched with requests.
    pub correlation: Correlation,
    /// What becomes of accepted messages. Where there is no client side and they are only counted,
    /// a recording is judged several times as fast.
    pub messages: Messages,
    /// The largest frame in bytes, without its 0x0A.
    pub max_frame_bytes: u64,
    /// What knows the schemas of the protocol; without it layer 4 is not judged.
    pub schema: Option<&'static dyn MessageSchema>,
    /// A text that the server logs, so that stderr must hold it and stdout must not.
    pub canary: Option<Box<[u8]>>,
}

impl Default for RuleSet {
    fn default() -> Self {
        Self {
            settings: [Setting::Catalogue; RuleId::ALL.len()],
            protocol: None,
            correlation: Correlation::On,
            messages: Messages::HandedBack,
            max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
            schema: None,
            canary: None,
        }
    }
}

impl RuleSet {
    /// The rules for a stream without a client side.
    #[must_use]
    pub fn without_client() -> Self {
        Self { correlation: Correlation::Off, ..Self::default() }
    }

    /// Sets one rule.
    pub fn set(&mut self, rule: RuleId, setting: Setting) {
        self.settings[rule as usize] = setting;
    }

    /// Denies every rule that is advice in some context.
    pub fn deny_advice(&mut self) {
        for id in RuleId::ALL {
            let rule = id.rule();
            if rule.level == Level::Advice
                || rule.levels.iter().any(|case| case.level == Level::Advice)
            {
                self.set(*id, Setting::Deny);
            }
        }
    }

    /// The level of a rule here, or `Level::Legal` if it is not to be reported.
    #[must_use]
    pub fn level(&self, rule: RuleId, context: LevelContext) -> Level {
        let level = rule.rule().level_in(context);
        match (self.settings[rule as usize], level) {
            (Setting::Off, _) | (_, Level::Legal) => Level::Legal,
            (Setting::Deny, _) => Level::Must,
            (Setting::Allow, _) => Level::Advice,
            (Setting::Catalogue, level) => level,
        }
    }

    /// Whether the rule exists here at all.
    #[must_use]
    pub fn knows(&self, rule: RuleId) -> bool {
        self.settings[rule as usize] != Setting::Off
    }
}

#[cfg(test)]
mod tests {
    use model::{Aspect, Level, LevelContext, MessageKind, ProtocolVersion, RuleId};

    use super::{DEFAULT_MAX_FRAME_BYTES, RuleSet, Setting};

    fn contexts() -> impl Iterator<Item = LevelContext> {
        use MessageKind::{Error, Notification, Request, Result};
        let versions = ProtocolVersion::ALL.into_iter().map(Some).chain([None]);
        let kinds = [None, Some(Request), Some(Notification), Some(Result), Some(Error)];
        let aspects = [None, Some(Aspect::IntegralFloat), Some(Aspect::MalformedBatch)];
        versions.flat_map(move |version| {
            kinds.into_iter().flat_map(move |kind| {
                aspects.into_iter().map(move |aspect| LevelContext { version, kind, aspect })
            })
        })
    }

    #[test]
    fn denied_advice_fails_the_run_wherever_it_is_advice() {
        let (plain, mut denied) = (RuleSet::default(), RuleSet::default());
        denied.deny_advice();
        let mut advice = 0;
        for rule in RuleId::ALL {
            for context in contexts() {
                let expected = match plain.level(*rule, context) {
                    Level::Legal => Level::Legal,
                    Level::Advice | Level::Must => Level::Must,
                };
                advice += usize::from(plain.level(*rule, context) == Level::Advice);
                assert_eq!(denied.level(*rule, context), expected, "{rule} {context:?}");
            }
        }
        assert!(advice > 0);
    }

    /// What is never advice keeps the level that the user gave it.
    #[test]
    fn denying_advice_touches_no_other_rule() {
        let mut rules = RuleSet::default();
        rules.set(RuleId::InvalidJson, Setting::Allow);
        rules.set(RuleId::CarriageReturn, Setting::Allow);
        rules.deny_advice();
        let level = |rule| rules.level(rule, LevelContext::default());
        assert_eq!(level(RuleId::InvalidJson), Level::Advice);
        assert_eq!(level(RuleId::CarriageReturn), Level::Must);
    }

    #[test]
    fn a_rule_that_is_off_is_not_known() {
        let mut rules = RuleSet::default();
        rules.set(RuleId::EmptyFrame, Setting::Off);
        rules.set(RuleId::InvalidJson, Setting::Allow);
        assert!(!rules.knows(RuleId::EmptyFrame));
        assert!(rules.knows(RuleId::InvalidJson));
        assert!(rules.knows(RuleId::SplitMessage));
        assert_eq!(rules.level(RuleId::EmptyFrame, LevelContext::default()), Level::Legal);
    }

    #[test]
    fn the_largest_frame_has_64_mebibytes() {
        assert_eq!(DEFAULT_MAX_FRAME_BYTES, 67_108_864);
        assert_eq!(RuleSet::without_client().max_frame_bytes, DEFAULT_MAX_FRAME_BYTES);
    }
}
