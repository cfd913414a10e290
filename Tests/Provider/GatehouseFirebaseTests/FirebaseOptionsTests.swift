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
