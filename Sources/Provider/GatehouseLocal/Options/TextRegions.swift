import GatehouseBase
import IdentityToolkit

/// The regions whose phones receive texts, as an administrator configures them: `smsRegionConfig` of the project and
/// of a tenant.
///
/// A number that can be of several regions must be allowed in each. A number of an unknown region is refused as soon as
/// one region is.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/SmsRegionConfig
struct TextRegions: Sendable, Hashable {
  private enum Rule: Hashable {
    case every
    case allExcept(Set<String>)
    case only(Set<String>)
  }

  private let rule: Rule

  /// Makes a rule that allows every region.
  init() { rule = .every }

  /// Reads a stored configuration. One that cannot be read allows no region.
  init(_ configuration: JSONValue?) {
    guard let configuration, !configuration.isNull, configuration.object?.isEmpty != true else {
      rule = .every
      return
    }
    let denied = configuration["allowByDefault"], allowed = configuration["allowlistOnly"]
    switch (denied, allowed) {
    case (let denied?, nil):
      rule = Self.list(denied, "disallowedRegions").map { $0.isEmpty ? Rule.every : .allExcept($0) } ?? .only([])
    case (nil, let allowed?): rule = .only(Self.list(allowed, "allowedRegions") ?? [])
    default: rule = .only([])
    }
  }

  private static func list(_ object: JSONValue, _ name: String) -> Set<String>? {
    guard object.object != nil, let items = (object[name] ?? []).array else { return nil }
    let regions = items.compactMap(\.string)
    return regions.count == items.count ? Set(regions) : nil
  }

  /// Refuses a text to a number of a region that is not allowed.
  func require(_ number: String) throws(AuthError) {
    let isAllowed: Bool
    switch rule {
    case .every: return
    case .allExcept(let denied):
      let regions = PhoneRegions.regions(of: number)
      isAllowed = !regions.isEmpty && regions.isDisjoint(with: denied)
    case .only(let allowed):
      let regions = PhoneRegions.regions(of: number)
      isAllowed = !regions.isEmpty && regions.isSubset(of: allowed)
    }
    guard isAllowed else {
      // The words of Google's servers.
      throw AuthError(
        server: .operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")
    }
  }

  /// Refuses a configuration that cannot be in force.
  static func check(_ configuration: JSONValue?) throws(AuthError) {
    func refused(_ advice: String) -> AuthError {
      AuthError(.invalidArgument, "smsRegionConfig\(advice)", server: .invalidConfig)
    }
    guard let object = configuration?.object else { return }
    let (denied, allowed) = (object["allowByDefault"], object["allowlistOnly"])
    guard denied == nil || allowed == nil else {
      throw refused(" has allowByDefault and allowlistOnly; send one of them")
    }
    for (rule, name) in [(denied, "disallowedRegions"), (allowed, "allowedRegions")] {
      for region in rule?[name]?.array ?? [] {
        guard let code = region.string, PhoneRegions.all.contains(code) else {
          throw refused(".\(name) has a region that has no phones; write codes of two letters, such as US and GB")
        }
      }
    }
    let denials = Set(denied?["disallowedRegions"]?.array?.compactMap(\.string) ?? [])
    for region in denials.sorted() {
      guard let country = PhoneRegions.dependencies[region], !denials.contains(country) else { continue }
      throw refused(
        ".disallowedRegions has \(region), whose phones have numbers of \(country) as well; name both, or neither")
    }
  }
}
