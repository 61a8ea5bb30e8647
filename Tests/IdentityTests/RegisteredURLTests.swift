import Testing

@testable import Identity

@Suite struct RegisteredURLTests {
    @Test(arguments: [
        "https://app.example/callback", "https://app.example", "https://app.example:8443/cb?x=1",
        "http://127.0.0.1:8910/cb", "http://[::1]:8910/cb", "http://localhost/cb", "org.example.app:/callback",
        "org.example.app://callback", "com.example.a-1:/cb", "io.study2.app:cb",
    ])
    func redirectionIsHTTPSLoopbackOrAnAppScheme(text: String) throws {
        #expect(try #require(RegisteredURL(text)).isRedirection)
    }

    @Test(arguments: [
        "", "callback", "/callback", "//app.example/callback", "http://app.example/callback", "javascript:alert(1)",
        "javascript://app.example/%0aalert(1)", "data:text/html,x", "file:///etc/passwd", "https://",
        "https:///callback",
        "https:app.example", "https://app.example/callback#part", "https://user@app.example/callback",
        "https://app.example\\@attacker.example/", "https://APP.example/callback", "HTTPS://app.example/callback",
        "https://app.example:0/", "https://app.example:65536/", "https://app.example:/", "https://app.example:8a/",
        "https://app.example/a b", "https://app.example/\u{0}", "https://app.example/ü", "https://.example/",
        "https://app.example./", "http://127.0.0.1.attacker.example/", "http://127.0.0.1@attacker.example/",
        "http://[::1", "http://[::1]x/", "myapp://callback", "https://app.example/\r\nLocation:x", "urn:ietf:wg:oauth",
        // Schemes that a browser runs or opens, also as the beginning of a name; invalid domain names.
        "javascript.x:alert(1)", "javascript.example.app:/cb", "data.x:text/html,x", "vbscript.x:y",
        "file.x:/etc/passwd",
        "blob.x:y", "about.x:blank", "http.x:/cb", "https.x://a", "view-source.x:y", "intent.x:/y", ".x:/cb", "x.:/cb",
        "a..b:/cb",
        "-a.b:/cb", "a-.b:/cb", "a+b.c:/cb", "a.b+c:/cb", "1a.b:/cb",
    ])
    func otherRedirectionsAreRefused(text: String) {
        #expect(RegisteredURL(text)?.isRedirection != true)
    }

    @Test func partsOfTheURLAreReadCorrectly() throws {
        let url = try #require(RegisteredURL("https://app.example:8443/a/b?c=d"))
        #expect(url.host == "app.example" && url.port == 8443 && url.target == "/a/b?c=d")
        #expect(url.origin == "https://app.example:8443")
        #expect(RegisteredURL("https://app.example:443")?.origin == "https://app.example")
        #expect(RegisteredURL("https://app.example?x")?.target == "/?x")
        #expect(RegisteredURL("http://[::1]:80/")?.origin == "http://[::1]")
        #expect(RegisteredURL("org.example.app:/callback")?.origin == nil)
    }

    @Test(arguments: [
        "http://client.example/jwks.json", "https://client.example:8443/jwks.json", "https://localhost/jwks.json",
        "https://10.0.0.1/jwks.json", "https://2130706433/", "https://0x7f.1/", "https://[::ffff:127.0.0.1]/",
        "https://[::1]/", "https://127.1/", "gopher://client.example/", "file:///etc/passwd", "https://intranet/",
    ])
    func keySetURLMustBeHTTPSWithAHostName(text: String) {
        let url = RegisteredURL(text)
        // 0x7f.1 has letters and a dot: the address of its name is checked before a connection is made.
        #expect(url?.isKeySet(allowingLoopback: false) != true || text == "https://0x7f.1/")
    }

    @Test func keySetURLMayBeLoopbackInADevelopmentStudy() throws {
        let loopback = try #require(RegisteredURL("http://127.0.0.1:9/jwks.json"))
        #expect(loopback.isKeySet(allowingLoopback: true) && !loopback.isKeySet(allowingLoopback: false))
        #expect(try #require(RegisteredURL("https://client.example/jwks.json")).isKeySet(allowingLoopback: false))
        #expect(try !#require(RegisteredURL("http://client.example/jwks.json")).isKeySet(allowingLoopback: true))
    }
}
