/// A call of an administrator, about any account of the project or of one tenant. It requires an administrator's
/// credential instead of an ID token.
///
/// In its endpoint, the sender replaces `{project}` with the project's identifier, followed by `/tenants/ID` for a
/// tenant.
public protocol AdminCall: TenantCall {}
