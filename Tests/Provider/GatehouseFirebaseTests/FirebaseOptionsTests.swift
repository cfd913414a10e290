import Foundation
import GatehouseFirebase
import GatehouseLocal
import Testing

struct FirebaseOptionsTests {
  @Test func `options are a class, and keep what Firebase's have`() {
    let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
    options.apiKey = "key"
    options.projectID = "shop"
    options.bundleID = "com.example.shop"
    options.clientID = "client"
    options.databaseURL = "https://shop.example.com"
    options.storageBucket = "bucket"
    options.appGroupID = "group"
    options.provider.appName = "Shop"
    #expect(options.googleAppID == "1:2:ios:3" && options.gcmSenderID == "2" && options.apiKey == "key")
    #expect(options.projectID == "shop" && options.provider.projectID == "shop")
    #expect(options.bundleID == "com.example.shop" && options.clientID == "client" && options.appGroupID == "group")
    #expect(options.databaseURL == "https://shop.example.com" && options.storageBucket == "bucket")
    #expect(options.provider.appName == "Shop" && options.provider.enumerationProtection == false)
    options.projectID = nil
    #expect(options.projectID == "local")
  }

  @Test func `options without anything are those of the user's home`() {
    let options = FirebaseOptions()
    #expect(options.home == nil && options.apiKey == nil && options.bundleID == "" && options.projectID == "local")
  }
}

struct FirebaseOptionsFileTests {
  private let plist = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict>
      <key>API_KEY</key><string>key</string>
      <key>GCM_SENDER_ID</key><string>2</string>
      <key>BUNDLE_ID</key><string>com.example.shop</string>
      <key>PROJECT_ID</key><string>shop</string>
      <key>STORAGE_BUCKET</key><string>shop.appspot.com</string>
      <key>IS_ADS_ENABLED</key><false/>
      <key>GOOGLE_APP_ID</key><string>1:2:ios:3</string>
      <key>CLIENT_ID</key><string>client</string>
      <key>DATABASE_URL</key><string>https://shop.example.com</string>
    </dict></plist>
    """

  private func options(of text: String) throws -> FirebaseOptions? {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).plist")
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    return FirebaseOptions(contentsOfFile: file.path)
  }

  @Test func `options are read from a GoogleService-Info.plist`() throws {
    let options = try #require(try options(of: plist))
    #expect(options.apiKey == "key" && options.googleAppID == "1:2:ios:3" && options.gcmSenderID == "2")
    #expect(options.bundleID == "com.example.shop" && options.projectID == "shop" && options.clientID == "client")
    #expect(options.storageBucket == "shop.appspot.com" && options.databaseURL == "https://shop.example.com")
    #expect(options.provider.projectID == "shop")
  }

  @Test(arguments: [
    "", "no plist", "<plist version=\"1.0\"><dict/></plist>", "<plist version=\"1.0\"><string>a</string></plist>",
  ])
  func `what is no such file makes no options`(text: String) throws { #expect(try options(of: text) == nil) }

  @Test func `without a file there are no options`() {
    #expect(FirebaseOptions(contentsOfFile: "/nowhere/GoogleService-Info.plist") == nil)
    #expect(FirebaseOptions.defaultOptions() == nil)
  }
}
