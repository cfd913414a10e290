import GatehouseBase
import IdentityToolkit
import Testing

struct ServerErrorsTests {
  @Test(arguments: ServerWord.allCases)
  func `every word becomes its code, alone and with a text after it`(_ case: ServerWord) throws {
    let (word, row) = (`case`.rawValue, `case`.meaning)
    #expect(AuthError(server: word) == AuthError(row.code, row.advice, serverCode: word))
    #expect(AuthError(server: word) == AuthError(server: `case`) && AuthError(server: word).serverWord == `case`)
    for message in ["\(word) : the server's own text: more", "\(word):the server's own text: more"] {
      let error = AuthError(server: message)
      #expect(error.code == row.code)
      #expect(error.serverCode == word)
      #expect(error.message == "\(row.advice): the server's own text: more")
      #expect(error == AuthError(server: `case`, "the server's own text: more"))
      #expect(error.serverDetail == "the server's own text: more")
    }
  }

  @Test func `of a link that was sent to another address it is not said that the address is none`() {
    let error = AuthError(server: "INVALID_EMAIL : the link was sent to another address")
    #expect(error.code == .invalidEmail && error.message == "the link was sent to another address")
    #expect(error.serverDetail == error.message && error == AuthError(server: .invalidEmail, ServerWord.otherRecipient))
  }

  @Test func `the table's words are words, its advice is for people, and every code of it has a name`() {
    #expect(ServerWord.allCases.count > 50)
    for word in ServerWord.allCases {
      let row = word.meaning
      #expect(word.rawValue.wholeMatch(of: /[A-Z]+(_[A-Z]+)*/) != nil)
      #expect(row.advice.count > 10 && row.advice.first?.isLowercase == true && row.advice.last != ".")
      #expect(AuthError.Code.names[row.code.rawValue] != nil)
    }
  }

  @Test(arguments: ["NEVER_HEARD_OF", "NEVER_HEARD_OF : and a text", "email_exists", "EMAIL_EXISTS_2"])
  func `an unknown word is an internal error that keeps the word and the text`(_ message: String) {
    let error = AuthError(server: message)
    #expect(error.code == .internalError)
    #expect(error.serverCode == message.split(separator: " ").first.map(String.init))
    #expect(error.message.contains(message))
  }

  @Test(arguments: ["", ":", " : ", "   ", ":text", "\n", "\u{301}:\u{301}"])
  func `a message that holds no word is an internal error`(_ message: String) {
    #expect(AuthError(server: message).code == .internalError)
  }

  @Test func `what the caller knows is kept`() {
    let error = AuthError(server: "TOO_MANY_ATTEMPTS_TRY_LATER", email: "a@b", retryAfter: .seconds(30))
    #expect(error.code == .tooManyRequests)
    #expect(error.email == "a@b")
    #expect(error.retryAfter == .seconds(30))
  }

  @Test func `a backend that does not know a call names it`() {
    let error = AuthError.unsupported(Delete.self)
    #expect(error.code == .operationNotAllowed)
    #expect(error.message.contains("accounts:delete"))
  }
}
