import GatehouseLocal

/// The issuer and the project in the tokens of the home's own provider.
struct OwnTokens: Sendable {
  let issuer: String
  let project: String

  init(_ options: LocalOptions) {
    issuer = options.issuerName
    project = options.projectID
  }
}
