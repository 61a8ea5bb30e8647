import Foundation
import Hummingbird
import Testing

@testable import ServerHTTP

@Suite struct RequestReadingTests {
    func request(_ path: String = "/", authorization: String? = nil) -> Request {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
        head.headerFields[.authorization] = authorization
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(arguments: [
        ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER  abc ", "abc"), ("Bearer", nil), ("Bearer ", nil),
        ("abc", nil), ("Basic abc", nil), ("Bearer a b", nil), ("", nil), (nil, nil),
    ])
    func bearerTokenIsOneWordAfterItsScheme(authorization: String?, token: String?) {
        #expect(request(authorization: authorization).bearerToken == token)
    }

    @Test func fieldsAreDecodedInTheirOrder() throws {
        let form = try #require(FormFields("b=1&a=x%20y+z&&c&b=%C3%A9&%64=4"))
        #expect(form.fields.map(\.name) == ["b", "a", "c", "b", "d"])
        #expect(form.fields.map(\.value) == ["1", "x y z", "", "\u{e9}", "4"])
        #expect(form["b"] == "1" && form["c"] == "" && form["e"] == nil)
        #expect(form.hasDuplicates)
        #expect(FormFields("a=1&b=1")?.hasDuplicates == false)
    }

    @Test(arguments: ["a=%ZZ", "a=%F", "%FF=1", "a=%C3"])
    func wronglyEncodedTextIsNotAForm(text: String) {
        #expect(FormFields(text) == nil)
        #expect(request("/x?" + text).queryForm == nil)
    }

    /// Databases and terminals interpret control characters; line breaks are part of a text.
    @Test(arguments: ["a=%00", "%00=1", "a=x%01", "a=%1B%5B2J", "a=%7F", "a=b&c=%00", "a=\u{0}"])
    func aControlCharacterIsInNoForm(text: String) {
        #expect(FormFields(text) == nil)
        #expect(FormFields(Data(text.utf8)) == nil)
    }

    @Test func linesAndTabsAreInForms() {
        #expect(FormFields("a=x%0D%0Ay%09z")?["a"] == "x\r\ny\tz")
    }

    @Test func encodedControlCharactersInAnAddressAreFound() {
        for address in ["/x?a=%00", "/%00", "/x?%0b=1", "/x?a=%7f", "/x?a=%1b"] {
            #expect(ControlCharacters.areEncoded(in: address), "\(address)")
        }
        for address in ["/x?a=%0a", "/x?a=%20%09", "/x?a=%2500", "/x?a=%0", "/x?a=%", "/x?a=%C3%80", "/%G0%0G"] {
            #expect(!ControlCharacters.areEncoded(in: address), "\(address)")
        }
    }

    @Test func invalidUTF8IsNotAForm() {
        #expect(FormFields(Data([0x61, 0x3D, 0xFF])) == nil)
        #expect(FormFields(Data("a=1".utf8))?["a"] == "1")
    }

    @Test func aPathWithoutAQueryHasNoFields() throws {
        for path in ["/x", "/x?", "/x?#a=1"] { #expect(try #require(request(path).queryForm).fields.isEmpty) }
        #expect(request("/x?a=1#b").queryForm?["a"] == "1")
    }
}
