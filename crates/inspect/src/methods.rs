//! Which methods a server may send.

/// Whether a server may send a request or notification with this method in some revision.
/// A method that is not of the protocol may be an extension of the server's own.
pub(crate) fn only_clients_send(method: &str) -> bool {
    matches!(
        method,
        "initialize"
            | "server/discover"
            | "tools/list"
            | "tools/call"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "prompts/list"
            | "prompts/get"
            | "completion/complete"
            | "logging/setLevel"
            | "subscriptions/listen"
            | "notifications/initialized"
            | "notifications/roots/list_changed"
    )
}
