public import GatehouseBase
public import GatehouseCrypto
import GatehouseHTTP

/// Makes proofs of possession for requests (RFC 9449 §4.2), with one key.
///
/// A client sends one proof with each request, in the header field `DPoP`. Keep and reuse the signer: OpenSSL's state
/// is set up once. Signing is slow work for an RSA key: not on a queue that must stay quick. Usable from any thread.
public struct DPoPProofSigner: Sendable {
  /// The name of the header field that carries a proof.
  public static let headerName = "DPoP"

  /// The algorithm of the proofs.
  public let algorithm: JWSAlgorithm
  /// The key's thumbprint (RFC 7638), the value of `dpop_jkt` and of an access token's `cnf.jkt`.
  public let thumbprint: String
  private let signer: TokenSigner
  private let header: JSONObject
  private let clocks: any Clocks

  /// Makes a signer with a key of the client.
  ///
  /// Throws `algorithmRefused` if the key does not support the algorithm.
  ///
  /// - Parameters:
  ///   - key: the client's key.
  ///   - algorithm: the algorithm of the proofs; `nil` for the key type's default. Servers list the accepted algorithms
  ///     in `dpop_signing_alg_values_supported`.
  ///   - clocks: the source of `iat`.
  public init(
    key: PrivateKey, algorithm: JWSAlgorithm? = nil, clocks: any Clocks = SystemClocks()
  ) throws {
    let jwk = try JWK(.publicKey(key.publicKey))
    signer = try TokenSigner(key: key, algorithm: algorithm)
    self.algorithm = signer.algorithm
    self.clocks = clocks
    thumbprint = try jwk.thumbprint()
    header = ["typ": "dpop+jwt", "alg": .string(signer.algorithm.rawValue), "jwk": jwk.json]
  }

  /// Makes a proof for one request. No two requests have the same proof: its `jti` has 128 random bits.
  ///
  /// Throws `invalidArgument` for a method that is not a token (RFC 9110 §5.6.2), and for a URI that is not an absolute
  /// `http` or `https` URI in ASCII.
  ///
  /// - Parameters:
  ///   - method: the HTTP method, exactly as it is sent.
  ///   - uri: the request's URI. The proof has it without query and fragment, in the normal form of RFC 3986 §6.2.2.
  ///   - accessToken: the access token of the request; `nil` at a token endpoint.
  ///   - nonce: the last `DPoP-Nonce` of this server; `nil` if it has sent none.
  public func proof(
    method: String, uri: String, accessToken: String? = nil, nonce: String? = nil
  ) throws -> String {
    guard !method.isEmpty, method.utf8.allSatisfy(\.isTokenCharacter) else {
      throw AuthError(.invalidArgument, "the HTTP method of a proof must be a token, such as GET")
    }
    guard let target = HTTPTarget(uri) else {
      throw AuthError(.invalidArgument, "the URI of a proof must be an absolute http or https URI in ASCII")
    }
    var claims: JSONObject = [
      "jti": .string(Base64URL.encode(try RandomBytes.make(16))), "htm": .string(method), "htu": .string(target.uri),
      "iat": .number(JSONNumber(Int64(clamping: clocks.wall))),
    ]
    if let accessToken { claims["ath"] = .string(try DPoPProof.hash(of: accessToken)) }
    if let nonce { claims["nonce"] = .string(nonce) }
    return try signer.sign(payload: claims.serialized(), header: header)
  }
}
