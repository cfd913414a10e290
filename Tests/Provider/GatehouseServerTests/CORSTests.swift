import GatehouseServer
import Testing

struct CORSTests {
  @Test func `a browser may send what it asks for`() async {
    let reply = await ServerScene().send(
      ServerRequest(
        "OPTIONS", "/v1/accounts:signUp?key=k",
        headers: [
          "Origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type,x-client-version",
          "Access-Control-Request-Private-Network": "true",
        ]))
    let headers = reply.response.headers
    #expect(reply.status == 204)
    #expect(reply.response.body.isEmpty)
    #expect(headers["Access-Control-Allow-Origin"] == "https://app.example.com")
    #expect(headers["Access-Control-Allow-Headers"] == "content-type,x-client-version")
    #expect(headers["Access-Control-Allow-Methods"]?.contains("POST") == true)
    #expect(headers["Access-Control-Allow-Private-Network"] == "true")
    #expect(headers["Access-Control-Allow-Credentials"] == nil)
  }

  @Test func `a page reads answers and refusals`() async {
    let scene = ServerScene()
    for path in ["/v1/accounts:signUp", "/nothing"] {
      let reply = await scene.post(path, "{}", headers: ["Origin": "https://app.example.com"])
      #expect(reply.response.headers["Access-Control-Allow-Origin"] == "https://app.example.com")
      #expect(reply.response.headers["Vary"]?.contains("Origin") == true)
    }
    #expect(await scene.post("/v1/accounts:signUp", "{}").response.headers["Access-Control-Allow-Origin"] == nil)
  }
}
