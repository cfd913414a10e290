public import Foundation

/// The contents of a message's link: its purpose and its code.
///
/// Reads the links of Firebase and of Gatehouse: query items `mode`, `oobCode`, `apiKey`, `continueUrl`, `lang`. A link
/// inside the `link` or `deep_link_id` item of another link is unwrapped. A query within the fragment counts, too: apps
/// with a router in the browser get their links so. Nothing is verified here: the provider verifies the code when it is
/// used.
public struct ActionCodeURL: Sendable, Hashable {
  /// The project's API key, if the link has one.
  public let apiKey: String?
  /// The purpose of the link.
  public let operation: ActionCodeOperation
  /// The code: a secret until it is used.
  public let code: String?
  /// The page that the link leads to in the end.
  public let continueURL: URL?
  /// The language of the page that the link opens.
  public let languageCode: String?
  /// The account's tenant, if the link names one.
  package let tenantID: String?

  /// Reads a link; `nil` if it has no query.
  public init?(link: String) {
    guard let items = Self.items(of: link, depth: 0) else { return nil }
    func value(_ name: String) -> String? { items.first { $0.name.isExactly(name) }?.value }
    apiKey = value("apiKey")
    operation = ActionCodeOperation(mode: value("mode"))
    code = value("oobCode").flatMap { $0.isEmpty ? nil : $0 }
    continueURL = value("continueUrl").flatMap { URL(string: $0) }
    languageCode = value("lang") ?? value("languageCode")
    tenantID = value("tenantId").flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func items(of link: String, depth: Int) -> [URLQueryItem]? {
    guard let components = URLComponents(string: link) else { return nil }
    let inFragment = components.percentEncodedFragment.flatMap { fragment in
      fragment.firstIndex(of: "?").flatMap { URLComponents(string: String(fragment[$0...]))?.queryItems }
    }
    let items = (components.queryItems ?? []) + (inFragment ?? [])
    guard !items.isEmpty else { return nil }
    let wrapped = items.first { $0.name.isExactly("link") || $0.name.isExactly("deep_link_id") }?.value
    guard depth < 3, let wrapped, let inner = self.items(of: wrapped, depth: depth + 1) else { return items }
    return inner
  }
}

extension ActionCodeURL: CustomStringConvertible, CustomReflectable {
  /// The operation, without the code.
  public var description: String { "ActionCodeURL(\(operation))" }
  /// The operation, without the code.
  public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}
