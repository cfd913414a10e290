import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A token without a signature` {
  private func token(_ header: JSONObject = ["alg": "none", "typ": "JWT"], _ claims: String? = nil) -> String {
    Base64URL.encode(header.serialized()) + "." + Base64URL.encode((claims ?? TokenScene.claims.description).utf8) + "."
  }

  private func refusal(_ token: String) -> AuthError.Code? {
    TestSupport.refusal { try UnsecuredToken(token) }
  }

  @Test func `is read by whoever asks for it by name, and by no verifier`() throws {
    let token = try UnsecuredToken(token())
    #expect(token.subject == "user-1")
    #expect(token.expiry == Date(wall: 1_700_003_500))
    #expect(token.claims == TokenScene.claims)
    #expect(token.header.type == "JWT")
    let policy = VerificationPolicy(algorithms: Set(JWSAlgorithm.allCases))
    for keys in [TokenScene.keys, try JWKSet([]), try SigningKeys.pair(.HS256).1] {
      let verifier = TokenVerifier(keys: keys, policy: policy)
      let messages = JWSVerifier(keys: keys, policy: policy)
      #expect(TokenScene.refusal(of: self.token(), by: verifier) == .tokenMalformed)
      #expect(TokenScene.refusal(of: self.token() + "AA", by: verifier) == .algorithmRefused)
      #expect(MessageScene.refusal(self.token(), by: messages) == .tokenMalformed)
      #expect(MessageScene.refusal(self.token() + "AA", by: messages) == .algorithmRefused)
    }
    #expect(TestSupport.refusal { try UnverifiedToken(self.token()) } == .tokenMalformed)
  }

  @Test func `is not one that says somebody signed it`() throws {
    for name in ["None", "NONE", "nOnE", "none ", "", "RS256", "HS256"] {
      #expect(refusal(token(["alg": .string(name)])) == .algorithmRefused, "\(name)")
    }
    for value in [1, .null, ["none"]] as [JSONValue] { #expect(refusal(token(["alg": value])) == .algorithmRefused) }
    #expect(refusal(token([:])) == .algorithmRefused)
    #expect(refusal(try TokenScene.signed()) == .tokenMalformed)
    #expect(refusal(token() + "AA") == .tokenMalformed)
  }

  @Test func `is as strict as all others in its form (groups 1 to 6)`() {
    for text in ["", ".", "..", "a.b", token() + ".", "." + token(), String(token().dropLast())] {
      #expect(refusal(text) == .tokenMalformed, "\(text.prefix(20))")
    }
    for text in [" " + token(), "Bearer " + token()] { #expect(refusal(text) == .base64Malformed) }
    #expect(refusal(String(repeating: "!", count: 16 << 10) + ".") == .tokenTooLarge)
    #expect(refusal(token(["alg": "none"], "{} ") + "\n") == .tokenMalformed)
    for claims in ["[]", "", "{}x", "\"sub\""] { #expect(refusal(token(["alg": "none"], claims)) == .jsonMalformed) }
    #expect(refusal(token(["alg": "none"], "{\"sub\":1,\"sub\":2}")) == .jsonDuplicateMember)
    #expect(refusal(token(["alg": "none", "kid": 1])) == .headerInvalid)
    #expect(refusal(token(["alg": "none", "zip": "DEF"])) == .headerInvalid)
  }
}
