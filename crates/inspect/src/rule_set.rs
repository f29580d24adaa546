//! Which rules are in force, and how hard.

use model::{Level, LevelContext, ProtocolVersion, RuleId};

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
    /// The largest frame in bytes, without its 0x0A.
    pub max_frame_bytes: u64,
}

impl Default for RuleSet {
    fn default() -> Self {
        Self {
            settings: [Setting::Catalogue; RuleId::ALL.len()],
            protocol: None,
            correlation: Correlation::On,
            max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
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
