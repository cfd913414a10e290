import Foundation
import GatehouseBase
import Testing

/// Sessions that earlier versions stored are read.
struct EarlierSessionTests {
  @Test func `a session without the members that came later`() throws {
    let text = """
      {"generation":1,"profile":{"isEmailVerified":false,"providers":[],"uid":"u"},"session":"a",
      "tokens":{"idToken":"i","lifetime":3600,"received":{"boot":1,"bootID":"b","wall":2},"refreshToken":"r"}}
      """
    let session = try JSONDecoder().decode(StoredSession.self, from: Data(text.utf8))
    #expect(session.profileAsked == nil && session.revocations == 0 && session.pendingRevocation == nil)
    #expect(session.rotation == nil)
  }

  @Test func `a mark without a name`() throws {
    let text = #"{"begun":{"boot":1,"bootID":"b","wall":2},"limit":40}"#
    let mark = try JSONDecoder().decode(PendingRevocation.self, from: Data(text.utf8))
    #expect(mark == PendingRevocation(id: "", begun: ClockReading(wall: 2, boot: 1, bootID: "b"), limitSeconds: 40))
  }
}
