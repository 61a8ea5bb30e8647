import Testing

@testable import ServerHTTP

@Suite struct AddressTests {
    @Test(arguments: [
        ("192.0.2.17", "192.0.2.17"), ("::ffff:192.0.2.17", "192.0.2.17"), ("2001:DB8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
    ])
    func anAddressIsReadAndWrittenInOneForm(text: String, expected: String) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test(arguments: ["", "localhost", "192.0.2", "192.0.2.256", "1.2.3.4.5", ":::", "192.0.2.1 ", "%", "0x7f.0.0.1"])
    func invalidAddressIsRefused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func theFormForLogsNamesNoSingleSubscriber() {
        #expect(IPAddress("192.0.2.17")?.shortened == "192.0.2.0/24")
        #expect(IPAddress("2001:db8:aaaa:bbbb::1")?.shortened == "2001:db8:aaaa::/48")
    }

    @Test func addressesOfOneIPv6SubscriberShareAKey() {
        let one = ClientAddress(IPAddress("2001:db8:0:1::1"))
        #expect(one.rateKey == ClientAddress(IPAddress("2001:db8:0:1:ffff::2")).rateKey)
        #expect(one.rateKey != ClientAddress(IPAddress("2001:db8:0:2::1")).rateKey)
        #expect(ClientAddress(nil).rateKey == "local")
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.200.3.4", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3", "10.1.2.3", true),
        ("10.1.2.3", "10.1.2.4", false), ("10.1.2.3/31", "10.1.2.2", true), ("0.0.0.0/0", "8.8.8.8", true),
        ("0.0.0.0/0", "::1", false), ("2001:db8::/33", "2001:db8:7fff::", true),
        ("2001:db8::/33", "2001:db8:8000::", false), ("127.0.0.1", "::ffff:127.0.0.1", true),
    ])
    func aNetworkContainsItsAddresses(network: String, address: String, isInside: Bool) throws {
        #expect(try IPNetwork(network).contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "proxy.example.org", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "/8", "::/129",
    ])
    func invalidNetworkIsRefused(text: String) {
        #expect { try IPNetwork(text) } throws: { ($0 as? ServerHTTPError)?.code == "network-invalid" }
    }

    @Test(arguments: [
        // Not from a proxy: the header is ignored.
        ("192.0.2.1", ["203.0.113.5"], "192.0.2.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.5"], "203.0.113.5"),
        // The client wrote the left one.
        ("10.0.0.1", ["198.51.100.1, 203.0.113.5"], "203.0.113.5"),
        ("10.0.0.1", ["198.51.100.1", "203.0.113.5"], "203.0.113.5"),
        ("10.0.0.1", ["198.51.100.1, 203.0.113.5, 10.0.0.2"], "203.0.113.5"),
        // All are proxies: the first of them.
        ("10.0.0.1", ["10.0.0.3,10.0.0.2"], "10.0.0.3"),
        // The header contains an invalid address: the peer is used.
        ("10.0.0.1", ["203.0.113.5, unknown"], "10.0.0.1"), ("10.0.0.1", ["203.0.113.5,"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"), ("10.0.0.1", ["203.0.113.5:port"], "10.0.0.1"),
        ("10.0.0.1", ["[203.0.113.5]"], "10.0.0.1"), ("10.0.0.1", ["[2001:db8::9"], "10.0.0.1"),
        // The part that the client wrote does not matter.
        ("10.0.0.1", ["nonsense, 203.0.113.5"], "203.0.113.5"),
        ("10.0.0.1", ["203.0.113.5:4711"], "203.0.113.5"), ("10.0.0.1", ["[2001:db8::9]:4711"], "2001:db8::9"),
        ("10.0.0.1", ["2001:db8::9"], "2001:db8::9"), ("10.0.0.1", [" [2001:db8::9] "], "2001:db8::9"),
        ("10.0.0.1", ["198.51.100.1", String(repeating: "10.0.0.2,", count: 40) + "10.0.0.2"], "10.0.0.1"),
    ])
    func rightmostUntrustedAddressIsUsed(peer: String, forwarded: [String], expected: String) throws {
        let address = ClientAddress(
            peer: IPAddress(peer), forwardedFor: forwarded, trustedProxies: [try IPNetwork("10.0.0.0/24")])
        #expect(address.address?.description == expected)
    }

    @Test func addressHasThePrefixesOfItsSubscriberAndSite() {
        let four = ClientAddress(IPAddress("198.51.100.7"))
        #expect(four.householdPrefix == "198.51.100.7" && four.sitePrefix == "198.51.100.0")
        let six = ClientAddress(IPAddress("2001:db8:1:2345:6:7:8:9"))
        #expect(six.householdPrefix == "2001:db8:1:2300::" && six.sitePrefix == "2001:db8:1::")
        #expect(ClientAddress(nil).householdPrefix == "local" && ClientAddress(nil).sitePrefix == "local")
    }
}
