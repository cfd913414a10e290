package import GatehouseBase

// Tenants and identity providers as an administrator configures them.
//
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.tenants
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.oauthIdpConfigs
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.inboundSamlConfigs

/// Makes a document. A tenant's identifier is made up, any other's is given.
package struct CreateResource: ResourceCall {
  package let kind: ResourceKind
  package var id: String? { nil }
  /// The identifier that the document gets; `nil` for a tenant's.
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

/// Asks for one document.
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
}

/// Asks for some documents, in the order of their identifiers.
package struct ListResources: ResourceCall {
  package static let method = CallMethod.get
  package static let isReadOnly = true
  /// How many a page may have.
  package static let most = 1000

  package let kind: ResourceKind
  package var id: String? { nil }
  /// How many the page may have; `nil` for `most`.
  package let pageSize: Int?
  /// Names the page, by the page before.
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

/// Changes a document: the members that the mask names, `a.b` for one inside another.
package struct UpdateResource: ResourceCall {
  package static let method = CallMethod.patch

  package let kind: ResourceKind
  package let id: String?
  /// A member that it names and the document has not is taken away; `nil` for all members of the document.
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

  package var query: [(name: String, value: String)] {
    mask.map { [("updateMask", $0.joined(separator: ","))] } ?? []
  }
  package var document: JSONObject? { content.json }
}

/// Deletes a document for good; a tenant with all of its users.
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
