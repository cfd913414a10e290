package import GatehouseBase

/// What an administrator configures over the protocol: a document of JSON with an identifier.
package enum ResourceKind: String, Codable, Sendable, CaseIterable {
  /// How a tenant behaves. Its identifier is the tenant's, and it belongs to the project.
  case tenant
  /// An OpenID Connect provider.
  case oauthIdpConfig
  /// A SAML provider.
  case inboundSamlConfig
  /// How the project behaves: the provider's one document of that kind, and no call's.
  case project

  /// All documents of the kind, in paths and in answers.
  package var collection: String { rawValue + "s" }
}

/// A call about documents that an administrator configures. Its answer is the protocol's JSON as it is: what the
/// protocol has and we do not know is kept.
///
/// Its endpoint has `{resources}` where a carrier puts the collection, with the document's identifier behind it.
package protocol ResourceCall: AdminCall where Response == ResourceAnswer {
  /// What the call is about.
  var kind: ResourceKind { get }
  /// The document; `nil` for a call about the collection.
  var id: String? { get }
  /// What the URL's query has besides.
  var query: [(name: String, value: String)] { get }
  /// The body; `nil` for none.
  var document: JSONObject? { get }
}

extension ResourceCall {
  /// The path of the REST call, after its host.
  package static var endpoint: String { "identitytoolkit.googleapis.com/v2/projects/{project}/{resources}" }
  package var query: [(name: String, value: String)] { [] }
  package var document: JSONObject? { nil }
}

/// The JSON of an answer.
package struct ResourceAnswer: Sendable, Hashable {
  package let json: JSONObject

  package init(_ json: JSONObject = [:]) { self.json = json }
}

extension ResourceAnswer: Codable {
  /// Calls are `Codable`. Carriers take the JSON instead, whose numbers and order a coder would lose.
  package init(from decoder: any Decoder) throws {
    json = try JSONObject(parsing: try decoder.singleValueContainer().decode(String.self).utf8)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json.description)
  }
}
