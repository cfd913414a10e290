import Gatehouse
import GatehouseTesting
import TestSupport
import Testing

struct `A printed token result` {
  @Test func `shows whose the token is and when it is valid, never the token`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let result = try await user.getIDTokenResult()
    let parts = result.token.split(separator: ".").map(String.init)
    // The scripted backend's tokens have no signature.
    for part in [result.token] + parts.prefix(2) { #expect(leak(of: part, in: result) == nil) }
    for text in printed(result) { #expect(!text.contains(Scene.email), "\(text)") }
    let text = "\(result)"
    #expect(text.hasPrefix("AuthTokenResult(") && text.contains(#"sub: "\#(user.uid)""#), "\(text)")
    #expect(text.contains("iat: 2027-01-15T08:00:00Z") && text.contains("exp: 2027-01-15T09:00:00Z"), "\(text)")
    var dumped = ""
    dump(result, to: &dumped)
    #expect(dumped.contains(user.uid) && dumped.contains("2027-01-15T09:00:00Z"))

    let refreshToken = try #require(user.refreshToken)
    for holder in [user, scene.auth.state, try #require(try await scene.store.load())] as [Any] {
      #expect(leak(of: result.token, in: holder) == nil && leak(of: refreshToken, in: holder) == nil)
      #expect(leak(of: Scene.password, in: holder) == nil)
    }
  }

  /// A session changes on the work queue, and `dump` reads on the caller's thread.
  @Test func `and a dumped user or Auth reads nothing of the engine's`() async throws {
    let (scene, user) = try await Scene.signedIn()
    for holder in [user, scene.auth, scene.auth.state] as [Any] {
      for text in printed(holder) {
        #expect(!text.contains(Scene.email) && !text.contains("SessionTokens"), "\(text.prefix(2000))")
      }
    }
  }
}
