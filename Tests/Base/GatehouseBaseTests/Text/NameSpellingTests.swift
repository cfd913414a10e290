import GatehouseBase
import Testing

@Suite struct NameSpellingTests {
  @Test(arguments: [
    ("localId", "local_id"), ("idToken", "id_token"), ("email", "email"), ("", ""), ("é", "é"), ("éX", "é_x"),
    ("mfa2Info", "mfa2_info"),
  ])
  func `a name has one form in each case`(camel: String, snake: String) {
    #expect(camel.snakeCased == snake)
    #expect(snake.camelCased == camel)
    #expect(camel.camelCased == camel)
    #expect(snake.snakeCased == snake)
  }

  @Test(arguments: [("_a", "a"), ("a_", "a"), ("a__b", "aB"), ("___", ""), ("a_1", "a1"), ("A_b", "AB")])
  func `underscores at the ends, or several of them, begin no word of their own`(name: String, camel: String) {
    #expect(name.camelCased == camel)
  }
}
