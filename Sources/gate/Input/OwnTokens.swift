import GatehouseLocal

/// What the tokens of the home's own provider name.
struct OwnTokens: Sendable {
  let issuer: String
  let project: String

  init(_ options: LocalOptions) {
    issuer = options.issuerName
    project = options.projectID
  }
}
