package import GatehouseBase

// Tenants and identity providers, as an administrator configures them.
//
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.tenants
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.oauthIdpConfigs
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.inboundSamlConfigs

/// Creates a document. A tenant's identifier is generated, any other document's is given.
package struct CreateResource: ResourceCall {
  package let kind: ResourceKind
  package var id: String? { nil }
  /// The identifier of the new document; `nil` for a tenant.
  package let newID: String?
  package var tenantId: String?
  private let content: ResourceAnswer

  package init(_ kind: ResourceKind, newID: String? = nil, _ document: JSONObject, of tenantID: String? = nil) {
    self.kind = kind
    self.newID = newID
    content = ResourceAnswer(document)
    tenantId = tenantID
  }

  package var query: [(name: String, value: String)] { newID.map { [("\(kind.rawValue)Id", $0)] } ?? [] }
  package var document: JSONObject? { content.json }
}

/// Reads one document.
package struct ReadResource: ResourceCall {
  package static let method = CallMethod.get
  package static let isReadOnly = true

  package let kind: ResourceKind
  package let id: String?
  package var tenantId: String?

  package init(_ kind: ResourceKind, _ id: String, of tenantID: String? = nil) {
    self.kind = kind
    self.id = id
    tenantId = tenantID
  }

  /// Makes the call that returns the project's configuration.
  package init() { (kind, id) = (.project, nil) }
}

/// Lists documents, in the order of their identifiers.
package struct ListResources: ResourceCall {
  package static let method = CallMethod.get
  package static let isReadOnly = true
  /// The maximum number of documents in a page.
  package static let most = 1000

  package let kind: ResourceKind
  package var id: String? { nil }
  /// The maximum number of documents in this page; `nil` for `most`.
  package let pageSize: Int?
  /// The token of the page, from the previous page.
  package let pageToken: String?
  package var tenantId: String?

  package init(_ kind: ResourceKind, pageSize: Int?, pageToken: String?, of tenantID: String? = nil) {
    self.kind = kind
    self.pageSize = pageSize
    self.pageToken = pageToken
    tenantId = tenantID
  }

  package var query: [(name: String, value: String)] {
    (pageSize.map { [("pageSize", String($0))] } ?? []) + (pageToken.map { [("pageToken", $0)] } ?? [])
  }
}

/// Changes the members of a document that the mask names, `a.b` for a nested member.
package struct UpdateResource: ResourceCall {
  package static let method = CallMethod.patch

  package let kind: ResourceKind
  package let id: String?
  /// The members to change; a member that the document lacks is removed. `nil` for all members of the document.
  package let mask: [String]?
  package var tenantId: String?
  private let content: ResourceAnswer

  package init(
    _ kind: ResourceKind, _ id: String, _ document: JSONObject, mask: [String]?, of tenantID: String? = nil
  ) {
    self.kind = kind
    self.id = id
    self.mask = mask
    content = ResourceAnswer(document)
    tenantId = tenantID
  }

  /// Makes the call that changes the project's configuration.
  package init(configuration document: JSONObject, mask: [String]?) {
    (kind, id, self.mask) = (.project, nil, mask)
    content = ResourceAnswer(document)
  }

  package var query: [(name: String, value: String)] {
    mask.map { [("updateMask", $0.joined(separator: ","))] } ?? []
  }
  package var document: JSONObject? { content.json }
}

/// Permanently deletes a document; for a tenant, with all of its users.
package struct DeleteResource: ResourceCall {
  package static let method = CallMethod.delete

  package let kind: ResourceKind
  package let id: String?
  package var tenantId: String?

  package init(_ kind: ResourceKind, _ id: String, of tenantID: String? = nil) {
    self.kind = kind
    self.id = id
    tenantId = tenantID
  }
}
