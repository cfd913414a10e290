import CRaw
public import GatehouseJOSE

/// The algorithms that are measured, by their names in a token's header.
public enum SampleAlgorithm: String, CaseIterable, Sendable, Codable {
  case RS256
  case ES256
  case EdDSA
  case HS256

  /// The name that people know the algorithm by.
  public var title: String { self == .EdDSA ? "Ed25519" : rawValue }

  public var jws: JWSAlgorithm {
    switch self {
    case .RS256: .RS256
    case .ES256: .ES256
    case .EdDSA: .EdDSA
    case .HS256: .HS256
    }
  }

  var kind: raw_kind {
    switch self {
    case .RS256: RAW_RS256
    case .ES256: RAW_ES256
    case .EdDSA: RAW_ED25519
    case .HS256: RAW_HS256
    }
  }
}
