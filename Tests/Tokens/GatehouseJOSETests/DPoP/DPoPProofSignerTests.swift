import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Proofs that a client creates (RFC 9449 §4.2).
struct `A signer of proofs` {
  private static let accessToken = "an.access.token"
  private static let uri = "HTTPS://Server.Example.com:443/a/../token?code=s3cr3t#part"

  @Test(arguments: JWSAlgorithm.allCases.filter { $0.mac == nil })
  func `makes proofs that the verifier accepts, once each`(algorithm: JWSAlgorithm) async throws {
    guard case .privateKey(let key) = SigningKeys.key(for: algorithm) else { return }
    let signer = try DPoPProofSigner(key: key, algorithm: algorithm, clocks: FixedClocks())
    #expect(signer.algorithm == algorithm)
    #expect(try signer.thumbprint == JWK(.publicKey(key.publicKey)).thumbprint())
    let verifier = DPoPVerifier(algorithms: [algorithm], replays: MemoryReplayStore())
    let request = DPoPRequest(
      method: "PATCH", uri: Self.uri, accessToken: Self.accessToken, boundThumbprint: signer.thumbprint, nonce: "n")
    let text = try signer.proof(method: "PATCH", uri: Self.uri, accessToken: Self.accessToken, nonce: "n")
    let proof = try await verifier.verify(text, for: request, at: TokenScene.now)
    #expect(proof.thumbprint == signer.thumbprint && proof.key == key.publicKey)
    #expect(await ProofScene.refusal(of: text, for: request, by: verifier) == .tokenReplayed)
    let next = try signer.proof(method: "PATCH", uri: Self.uri, accessToken: Self.accessToken, nonce: "n")
    #expect(await ProofScene.refusal(of: next, for: request, by: verifier) == nil)
  }

  @Test func `writes what the request is, and nothing else`() throws {
    let signer = try DPoPProofSigner(key: TokenScene.p256, clocks: FixedClocks())
    let proof = try UnverifiedToken(signer.proof(method: "POST", uri: Self.uri))
    #expect(proof.header.members.names == ["typ", "alg", "jwk"])
    #expect(proof.header["typ"] == "dpop+jwt" && proof.header["alg"] == "ES256")
    #expect(try proof.header["jwk"] == JWK(.publicKey(TokenScene.p256.publicKey)).json)
    #expect(proof.claims.names == ["jti", "htm", "htu", "iat"])
    #expect(proof["htm"] == "POST" && proof["htu"] == "https://server.example.com/token")
    #expect(proof["iat"] == 1_700_000_000)
    let full = try UnverifiedToken(
      signer.proof(method: "GET", uri: "https://a.example", accessToken: Self.accessToken, nonce: "n-1"))
    #expect(full.claims.names == ["jti", "htm", "htu", "iat", "ath", "nonce"])
    #expect(full["htu"] == "https://a.example/")
    // Computed with `printf an.access.token | openssl dgst -sha256 -binary | basenc --base64url`.
    #expect(full["ath"] == "UkM2b42E54u4hWzuKV_B3zyulUA6vtNYjJUv_ru2Qck" && full["nonce"] == "n-1")
  }

  @Test func `names each proof differently, with 128 bits`() throws {
    let signer = try DPoPProofSigner(key: TokenScene.ed25519, clocks: FixedClocks())
    var names: Set<String> = []
    for _ in 0..<200 {
      let name = try #require(UnverifiedToken(signer.proof(method: "GET", uri: "https://a.example")).tokenID)
      #expect(try Base64URL.decode(name).count == 16)
      names.insert(name)
    }
    #expect(names.count == 200)
  }

  @Test(arguments: [
    ("", "https://a.example"), ("GET ", "https://a.example"), ("GET\r\n", "https://a.example"),
    ("G\u{C9}T", "https://a.example"), ("GET", ""), ("GET", "a.example"), ("GET", "/a"), ("GET", "ftp://a.example"),
    ("GET", "https://user:password@a.example"), ("GET", "https://b\u{FC}cher.example"), ("GET", "https://a.example/ b"),
  ])
  func `makes none for what is no request`(method: String, uri: String) throws {
    let signer = try DPoPProofSigner(key: TokenScene.p256)
    #expect(
      refusal { try signer.proof(method: method, uri: uri) } == .invalidArgument)
  }

  @Test func `takes only an algorithm that is the key's`() throws {
    for algorithm in [.HS256, .RS256, .ES384, .EdDSA] as [JWSAlgorithm] {
      #expect(
        refusal { try DPoPProofSigner(key: TokenScene.p256, algorithm: algorithm) }
          == .algorithmRefused)
    }
    #expect(try DPoPProofSigner(key: TokenScene.rsa).algorithm == .RS256)
    #expect(try DPoPProofSigner(key: TokenScene.ed25519).algorithm == .EdDSA)
  }
}

/// The proofs in figures 2 and 13 of RFC 9449.
struct `The proofs of RFC 9449` {
  private static let header =
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo"
    + "RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19."
  private static let tokenRequest =
    header + "eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2Vu"
    + "IiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3"
    + "Lg"
  private static let resourceRequest =
    header + "eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90"
    + "ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9"
    + ".2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
  private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

  @Test func `are verified, with their key's thumbprint`() async throws {
    let verifier = DPoPVerifier(replays: MemoryReplayStore())
    let token = try await verifier.verify(
      Self.tokenRequest, for: DPoPRequest(method: "POST", uri: "https://server.example.com/token"), at: 1_562_262_617)
    #expect(token.thumbprint == Self.thumbprint && token.tokenID == "-BwC3ESc6acc2lTc")
    let request = DPoPRequest(
      method: "GET", uri: "https://resource.example.org/protectedresource",
      accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", boundThumbprint: Self.thumbprint)
    let resource = try await verifier.verify(Self.resourceRequest, for: request, at: 1_562_262_619)
    #expect(resource.thumbprint == Self.thumbprint && resource.tokenID == "e1j3V_bKic8-LAEB")
    #expect(await ProofScene.refusal(of: Self.resourceRequest, for: request, at: 1_562_262_678) == .tokenExpired)
  }
}
