/// Certificates for tests on this machine, without any trust.
public enum TestCertificates {
    public struct Pair: Sendable {
        public let certificate: String
        public let key: String
    }

    public static let one = Pair(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBmTCCAT+gAwIBAgIUJCnwQU+UogJjlfYbY6HJW3UZLjAwCgYIKoZIzj0EAwIw
            EzERMA8GA1UEAwwIb25lLnRlc3QwIBcNMjYxMTIyMDI1OTMzWhgPMjEyNjEwMjkw
            MjU5MzNaMBMxETAPBgNVBAMMCG9uZS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAEiZkH+Lzzbrg9FhO7BI3zjKDIgYkbb5Pbly/2FNExC9mzmLd+1whnO0aY
            mi9qRqM2ZB+gQjXaSWAPDSevWKrGKaNvMG0wHQYDVR0OBBYEFPYYennwWb9VuXIj
            J3pWIUDOvPMQMB8GA1UdIwQYMBaAFPYYennwWb9VuXIjJ3pWIUDOvPMQMA8GA1Ud
            EwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49
            BAMCA0gAMEUCIGGUSC8dQcs+qTDChWFDKRctBZTaihQVO/X8yf7P2UItAiEA0TlT
            92p7nql7ZL9e/s7a7tnd/4AKpmhoaTjDJTYSop0=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiPCKbhEH7JcrSGrk
            oT8nSr6My2keJQda0yYhZa23mxyhRANCAASJmQf4vPNuuD0WE7sEjfOMoMiBiRtv
            k9uXL/YU0TEL2bOYt37XCGc7RpiaL2pGozZkH6BCNdpJYA8NJ69YqsYp
            -----END PRIVATE KEY-----
            """)

    public static let two = Pair(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBmDCCAT+gAwIBAgIUHlXsq0eAdAB4xYEE+MqILQPgNGkwCgYIKoZIzj0EAwIw
            EzERMA8GA1UEAwwIdHdvLnRlc3QwIBcNMjYxMTIyMDI1OTMzWhgPMjEyNjEwMjkw
            MjU5MzNaMBMxETAPBgNVBAMMCHR3by50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAEeptiu1TvcRoayIdCfLqk8oAUs3RgSIEL4nYK5E6PUG5mecnvmK4eQDnG
            yWrbwl0Xlh9VVcRECWXbKfbW7/ivvaNvMG0wHQYDVR0OBBYEFKtevQxx9u1cwh3c
            ZQ15p1H4bTxfMB8GA1UdIwQYMBaAFKtevQxx9u1cwh3cZQ15p1H4bTxfMA8GA1Ud
            EwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49
            BAMCA0cAMEQCIGZ/C8b3v8BHpnlo/sl/dF+3/5d9nlwlt+R8BM9TjJ2jAiAZgWqk
            MEZjp8zpnjkFrIFqxasySn3p8jxGHIPQrLi+lA==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg39Gbo9aJQrvDM72k
            lCiVezYsPVkmV4MiiCAZVzcfG3uhRANCAAR6m2K7VO9xGhrIh0J8uqTygBSzdGBI
            gQvidgrkTo9QbmZ5ye+Yrh5AOcbJatvCXReWH1VVxEQJZdsp9tbv+K+9
            -----END PRIVATE KEY-----
            """)
}
