import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import Testing

struct OAuth1SignatureTests {
  /// X's documentation, "Creating a signature", without its form's parameter: recomputed with Python's hmac.
  @Test func `the signature is the one that RFC 5849 describes`() throws {
    let signature = OAuth1Signature(
      consumerKey: "xvz1evFS4wEEPTGEFPHBog",
      consumerSecret: Secret("kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw"),
      token: Secret("370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"),
      tokenSecret: Secret("LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"),
      nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", seconds: 1_318_622_958)
    let request = TransportRequest(.get, "https://api.example/1.1/verify.json?include_email=true&b=a%20c")
    let header = try signature.authorization(of: request)
    #expect(header.contains("oauth_signature=\"%2FWuMvrtq6JNCo5zeheOJsiZuFsk%3D\""))
  }
}
