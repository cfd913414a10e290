/// A call of an administrator: about any account of the project, or of one tenant. It needs an administrator's
/// credential, and no ID token.
///
/// Its endpoint has `{project}` where a carrier puts the project's identifier; with a tenant, `/tenants/ID` follows.
public protocol AdminCall: TenantCall {}
