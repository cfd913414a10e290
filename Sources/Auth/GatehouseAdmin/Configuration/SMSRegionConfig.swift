import GatehouseBase

/// The regions that text messages may be sent to. A region is a two-letter code of ISO 3166-1, as in Unicode's CLDR.
///
/// Source: https://firebase.google.com/docs/reference/admin/node/firebase-admin.auth.smsregionconfig
public enum SMSRegionConfig: Sendable, Hashable {
  /// All regions except these.
  case allowByDefault(disallowedRegions: [String])
  /// Only these regions.
  case allowlistOnly(allowedRegions: [String])

  init?(_ json: JSONValue?) {
    func regions(_ list: JSONValue?) -> [String] { (list?.array ?? []).compactMap(\.string) }
    if let rule = json?["allowByDefault"]?.object {
      self = .allowByDefault(disallowedRegions: regions(rule["disallowedRegions"]))
    } else if let rule = json?["allowlistOnly"]?.object {
      self = .allowlistOnly(allowedRegions: regions(rule["allowedRegions"]))
    } else {
      return nil
    }
  }

  /// The configuration in the protocol's form.
  var json: JSONValue {
    switch self {
    case .allowByDefault(let regions): ["allowByDefault": ["disallowedRegions": .array(regions.map(JSONValue.string))]]
    case .allowlistOnly(let regions): ["allowlistOnly": ["allowedRegions": .array(regions.map(JSONValue.string))]]
    }
  }
}
