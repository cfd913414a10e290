package import GatehouseBase

/// The kinds of configuration documents of the protocol. Each is JSON with an identifier.
package enum ResourceKind: String, Codable, Sendable, CaseIterable {
  /// The settings of a tenant. The document's identifier is the tenant's, and it belongs to the project.
  case tenant
  /// An OpenID Connect provider.
  case oauthIdpConfig
  /// A SAML provider.
  case inboundSamlConfig
  /// The project's configuration: a single document, which can be read and changed, but not created or deleted.
  case project

  /// The name of the collection of all documents of the kind, in paths and in answers. For the project, the name of
  /// its single document.
  package var collection: String { self == .project ? "config" : rawValue + "s" }
}

/// A call about documents that an administrator configures. Its response is the protocol's JSON, including members that
/// Gatehouse does not know.
///
/// In its endpoint, the sender replaces `{resources}` with the collection, followed by the document's identifier.
package protocol ResourceCall: AdminCall where Response == ResourceAnswer {
  /// The kind of the documents.
  var kind: ResourceKind { get }
  /// The document; `nil` for a call about the collection.
  var id: String? { get }
  /// The additional query items of the URL.
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

/// The JSON of a response.
package struct ResourceAnswer: Sendable, Hashable {
  package let json: JSONObject

  package init(_ json: JSONObject = [:]) { self.json = json }
}

extension ResourceAnswer: Codable {
  /// Required because calls are `Codable`. Senders use the JSON directly, whose numbers and order a coder would lose.
  package init(from decoder: any Decoder) throws {
    json = try JSONObject(reading: try decoder.singleValueContainer().decode(String.self).utf8)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json.description)
  }
}
