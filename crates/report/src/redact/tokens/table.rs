//! Tokens that are a fixed prefix and a run of characters.

/// One kind of token.
pub(super) struct Token {
    /// The prefix, in the case in which it is issued.
    pub(super) prefix: &'static str,
    /// The name shown instead of the token.
    pub(super) label: &'static str,
    /// The characters that follow the prefix.
    pub(super) body: fn(u8) -> bool,
    /// The fewest that follow.
    pub(super) min_len: usize,
    place: Place,
}

/// Where a token may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Anywhere: its prefix is found in no word.
    Anywhere,
    /// Not inside a word: its prefix is short.
    AloneOnly,
}

impl Token {
    /// Whether the token cannot begin inside a word.
    pub(super) fn stands_alone(&self) -> bool {
        self.place == Place::AloneOnly
    }
}

const fn token(
    prefix: &'static str,
    label: &'static str,
    body: fn(u8) -> bool,
    min_len: usize,
) -> Token {
    Token { prefix, label, body, min_len, place: Place::Anywhere }
}

const fn alone(
    prefix: &'static str,
    label: &'static str,
    body: fn(u8) -> bool,
    min_len: usize,
) -> Token {
    Token { place: Place::AloneOnly, ..token(prefix, label, body, min_len) }
}

pub(super) fn base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn dotted(byte: u8) -> bool {
    base64url(byte) || byte == b'.'
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// The kinds, those with a longer prefix first where two begin alike.
pub(super) const TOKENS: &[Token] = &[
    token("github_pat_", "github-token", word, 36),
    token("ghp_", "github-token", alphanumeric, 30),
    token("gho_", "github-token", alphanumeric, 30),
    token("ghu_", "github-token", alphanumeric, 30),
    token("ghs_", "github-token", alphanumeric, 30),
    token("ghr_", "github-token", alphanumeric, 30),
    token("glpat-", "gitlab-token", dotted, 20),
    token("gldt-", "gitlab-token", dotted, 20),
    token("glrt-", "gitlab-token", dotted, 20),
    token("sk-ant-", "anthropic-key", base64url, 20),
    token("sk-proj-", "openai-key", base64url, 20),
    token("sk-svcacct-", "openai-key", base64url, 20),
    token("sk-or-v1-", "openrouter-key", hex, 32),
    alone("sk-", "api-key", alphanumeric, 20),
    token("sk_live_", "stripe-key", alphanumeric, 16),
    token("sk_test_", "stripe-key", alphanumeric, 16),
    token("rk_live_", "stripe-key", alphanumeric, 16),
    token("whsec_", "stripe-key", alphanumeric, 24),
    token("xoxa-", "slack-token", dashed, 10),
    token("xoxb-", "slack-token", dashed, 10),
    token("xoxe-", "slack-token", dashed, 10),
    token("xoxp-", "slack-token", dashed, 10),
    token("xoxr-", "slack-token", dashed, 10),
    token("xoxs-", "slack-token", dashed, 10),
    token("xapp-", "slack-token", dashed, 10),
    alone("AKIA", "aws-key-id", upper, 16),
    alone("ASIA", "aws-key-id", upper, 16),
    token("AIza", "google-key", base64url, 35),
    token("ya29.", "google-token", dotted, 20),
    token("GOCSPX-", "google-secret", base64url, 20),
    token("npm_", "npm-token", alphanumeric, 36),
    token("pypi-AgE", "pypi-token", base64url, 32),
    alone("hf_", "hugging-face-token", alphanumeric, 30),
    token("dop_v1_", "digitalocean-token", hex, 32),
    token("dckr_pat_", "docker-token", base64url, 20),
    alone("SG.", "sendgrid-key", dotted, 50),
    token("shpat_", "shopify-token", hex, 32),
    token("lin_api_", "linear-key", alphanumeric, 32),
    alone("ntn_", "notion-token", alphanumeric, 40),
    token("figd_", "figma-token", base64url, 32),
    token("ATATT3", "atlassian-token", |byte| base64url(byte) || byte == b'=', 60),
    alone("hvs.", "vault-token", base64url, 24),
    alone("gsk_", "groq-key", alphanumeric, 40),
    token("tvly-", "tavily-key", base64url, 20),
    alone("r8_", "replicate-token", alphanumeric, 30),
    alone("dapi", "databricks-token", hex, 32),
    token("AGE-SECRET-KEY-1", "age-key", upper, 50),
];
