public import Foundation
public import Gatehouse

/// A second factor that an account has, as Firebase's class of this name: `info as? PhoneMultiFactorInfo` tells phones
/// from authenticator apps. `Gatehouse.MultiFactorInfo` is the value behind it.
// @unchecked: its only subclasses are in this file, and all of them have constants only.
public class MultiFactorInfo: Hashable, @unchecked Sendable {
  /// The factor as Gatehouse's own calls take it.
  public let factor: Gatehouse.MultiFactorInfo

  fileprivate init(_ factor: Gatehouse.MultiFactorInfo) { self.factor = factor }

  /// The factor's identifier, unique within its account.
  public var uid: String { factor.uid }
  /// The name that the user gave the factor.
  public var displayName: String? { factor.displayName }
  /// The date of the enrollment. The distant past if the provider does not report it.
  public var enrollmentDate: Date { factor.enrollmentDate ?? .distantPast }
  /// The kind of factor: `TOTPMultiFactorID` or `PhoneMultiFactorID`.
  public var factorID: String { factor.factorID }

  /// Whether both are the same factor, with the same properties.
  public static func == (one: MultiFactorInfo, other: MultiFactorInfo) -> Bool { one.factor == other.factor }
  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(factor) }

  static func of(_ factor: Gatehouse.MultiFactorInfo) -> MultiFactorInfo {
    switch factor.factorID {
    case PhoneMultiFactorGenerator.factorID: PhoneMultiFactorInfo(factor)
    case TOTPMultiFactorGenerator.factorID: TOTPMultiFactorInfo(factor)
    default: MultiFactorInfo(factor)
    }
  }
}

/// A phone that is a second factor.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
  /// The phone number that codes are sent to; parts of it may be masked.
  public var phoneNumber: String { factor.phoneNumber ?? "" }
}

/// An authenticator app that is a second factor.
public final class TOTPMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {}

extension MultiFactor {
  /// The factors that the account has, as the provider last reported them.
  public var enrolledFactors: [MultiFactorInfo] { self.Gatehouse::enrolledFactors.map(MultiFactorInfo.of) }
}

extension MultiFactorResolver {
  /// The factors that the account has: show them, and ask the user for one.
  public var hints: [MultiFactorInfo] { self.Gatehouse::hints.map(MultiFactorInfo.of) }
}
