import GatehouseURLSession
import Testing

/// The messages for failed connections, by Foundation's error code and libcurl's text.
@Suite struct ConnectionFaultTests {
  @Test(arguments: [
    (-1003, "Could not resolve host: ssl.example", "there is no server"),
    (-1004, "Failed to connect to h port 9", "takes no connection"), (-1001, "", "did not answer in time"),
    (-1011, "Empty reply from server", "closed the connection without an answer"),
    (-1011, "Weird server reply", "not one for HTTP"),
    (-1002, "Received HTTP/0.9 when not allowed", "not one for HTTP"),
    (-1, "transfer closed with 97 bytes remaining to read", "before its answer was complete"),
    (-1, "CONNECT tunnel failed, response 407", "asks for a user name"),
    (-1, "Received HTTP code 403 from proxy after CONNECT", "refuses the connection"),
    (-1, "SSL certificate problem: unable to get local issuer certificate", "update-ca-certificates"),
    (-1, "SSL certificate problem: self-signed certificate in certificate chain", "update-ca-certificates"),
    (-1, "SSL certificate problem: certificate has expired", "clock"),
    (-1, "SSL certificate problem: certificate is not yet valid", "clock"),
    (-1, "SSL: no alternative certificate subject name matches target host name 'h'", "for other hosts only"),
    (-1, "error adding trust anchors from file: /etc/ssl/x", "cannot be read"),
    (-1, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", "is that port one for https?"),
    (-1, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:9", "is that port one for https?"),
    (-1, "something of ssl.example", "failed (-1)"), (-999_999, "", "failed"), (nil, "", "failed"),
  ])
  func `each fault has its words, and none of libcurl's`(code: Int?, words: String, expected: String) {
    let reason = ConnectionFault(code: code, words: words).reason("key.server")
    #expect(reason.contains(expected), "\(reason)")
    #expect(!reason.contains("/etc") && !reason.contains("ssl.example") && !reason.contains("0A00"), "\(reason)")
  }
}
