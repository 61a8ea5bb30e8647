/// Host names of this machine. Plain HTTP to them crosses no network.
public enum LoopbackHost {
    /// Whether a host, without the brackets of an IPv6 address, is this machine.
    public static func matches(_ host: some StringProtocol) -> Bool {
        ["127.0.0.1", "::1", "localhost"].contains { $0 == host }
    }
}
