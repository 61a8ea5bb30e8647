import Testing

@testable import Attachments

@Suite struct JPEGCleaningTests {
    private static let secret = "SECRET"

    /// Each segment that is not part of the picture, and its kind.
    static let foreign: [(segment: [UInt8], kind: ImageMetadata)] = [
        (JPEGBytes.exifSegment(orientation: 1), .exif), (JPEGBytes.segment(0xE1, text: "Exif\0\0broken SECRET"), .exif),
        (JPEGBytes.segment(0xE1, text: "http://ns.adobe.com/xap/1.0/\0<x:SECRET/>"), .xmp),
        (JPEGBytes.segment(0xE1, text: "http://ns.adobe.com/xmp/extension/\0SECRET"), .xmp),
        (JPEGBytes.segment(0xED, text: "Photoshop 3.0\08BIM SECRET"), .iptc),
        (JPEGBytes.segment(0xFE, text: "SECRET"), .text),
        (JPEGBytes.segment(0xE0, text: "JFXX\0SECRET"), .thumbnail),
        (JPEGBytes.segment(0xE2, text: "MPF\0SECRET"), .applicationData),
        (JPEGBytes.segment(0xE2, text: "FPXR\0SECRET"), .applicationData),
        (JPEGBytes.segment(0xE3, text: "SECRET"), .applicationData),
        (JPEGBytes.segment(0xEC, text: "Ducky SECRET"), .applicationData),
        (JPEGBytes.segment(0xEF, text: ""), .applicationData),
        (JPEGBytes.segment(0xE2, text: "ICC_PROFILE\0", rest: [1, 1] + Array("SECRET".utf8)), .profileText),
        (JPEGBytes.segment(0xE2, text: "ICC_PROFILE\0", rest: [3, 2] + ProfileBytes.profile()), .profileText),
    ]

    @Test(arguments: foreign.indices)
    func segmentsOutsideThePictureAreRemovedAndReported(index: Int) throws {
        let (segment, kind) = Self.foreign[index]
        let image = try CleanedImage(JPEGBytes.file(JPEGBytes.jfif, segment))
        #expect(image.bytes == JPEGBytes.file(JPEGBytes.jfif))
        #expect(image.removed == [kind])
        #expect((image.format, image.width, image.height) == (.jpeg, 8, 8))
    }

    @Test func segmentsAfterAScanAreRemoved() throws {
        let picture = JPEGBytes.picture + JPEGBytes.segment(0xFE, text: Self.secret) + JPEGBytes.scan
        let image = try CleanedImage(JPEGBytes.file(picture: picture))
        #expect(image.bytes == JPEGBytes.file(picture: JPEGBytes.picture + JPEGBytes.scan))
        #expect(image.removed == [.text])
    }

    @Test func bytesAfterTheEndAreRemoved() throws {
        // A motion photo's film, and a second picture of the multi-picture format.
        for trailing in [Array("ftypmp42 SECRET".utf8), JPEGBytes.file(), [0]] {
            let image = try CleanedImage(JPEGBytes.file(JPEGBytes.jfif, trailing: trailing))
            #expect(image.bytes == JPEGBytes.file(JPEGBytes.jfif))
            #expect(image.removed == [.trailingData])
        }
    }

    @Test func thumbnailOfJFIFIsRemovedAndItsDensityKept() throws {
        let content: [UInt8] = [1, 2, 1, 0, 72, 0, 72, 1, 1, 9, 9, 9]
        let image = try CleanedImage(JPEGBytes.file(JPEGBytes.segment(0xE0, text: "JFIF\0", rest: content)))
        #expect(
            image.bytes == JPEGBytes.file(JPEGBytes.segment(0xE0, text: "JFIF\0", rest: content.prefix(7) + [0, 0])))
        #expect(image.removed == [.thumbnail])
    }

    @Test func adobeColourSegmentStaysWithoutTrailingBytes() throws {
        #expect(try CleanedImage(JPEGBytes.file(JPEGBytes.adobe)).bytes == JPEGBytes.file(JPEGBytes.adobe))
        let longer = JPEGBytes.segment(0xEE, text: "Adobe", rest: [0, 100, 0, 0, 0, 0, 1] + Array(Self.secret.utf8))
        let image = try CleanedImage(JPEGBytes.file(longer))
        #expect(image.bytes == JPEGBytes.file(JPEGBytes.adobe))
        #expect(image.removed == [.applicationData])
    }

    @Test(arguments: 1...8, [false, true])
    func onlyTheOrientationOfExifIsKept(orientation: Int, isLittle: Bool) throws {
        let exif = JPEGBytes.exifSegment(orientation: orientation, isLittle: isLittle)
        let image = try CleanedImage(JPEGBytes.file(JPEGBytes.jfif, exif))
        #expect(image.orientation == orientation)
        let alone = JPEGBytes.segment(0xE1, text: "Exif\0\0", rest: ExifOrientation.tiff(orientation))
        #expect(image.bytes == JPEGBytes.file(JPEGBytes.jfif, orientation == 1 ? [] : alone))
        let again = try CleanedImage(image.bytes)
        #expect(again.orientation == orientation && again.bytes == image.bytes && again.removed.isEmpty)
    }

    @Test func invalidOrientationIsRemoved() throws {
        for orientation in [0, 9, 65535] {
            let image = try CleanedImage(JPEGBytes.file(JPEGBytes.exifSegment(orientation: orientation)))
            #expect(image.bytes == JPEGBytes.file() && image.orientation == 1)
        }
    }

    @Test(arguments: [2, 4] as [UInt8], 1...3)
    func onlyTheColoursOfAProfileAreKept(version: UInt8, parts: Int) throws {
        let profile = ProfileBytes.profile(version: version)
        let image = try CleanedImage(JPEGBytes.file(ProfileBytes.segments(profile, parts: parts)))
        #expect(image.removed == [.profileText])
        let text = String(decoding: image.bytes, as: UTF8.self)
        for word in ["Anna", "anna", "EVE", "APPL", "appl", "dmnd"] { #expect(!text.contains(word)) }
        for word in ["ICC_PROFILE", "acsp", "RGB XYZ ", "rXYZ", "bTRC", "para", "desc", "cprt"] {
            #expect(text.contains(word))
        }
        let again = try CleanedImage(image.bytes)
        #expect(again.bytes == image.bytes && again.removed.isEmpty)
    }

    @Test func printerProfilesAndDamagedProfilesAreRemoved() throws {
        var printer = ProfileBytes.profile()
        printer.replaceSubrange(12..<16, with: Array("prtr".utf8))
        var liar = ProfileBytes.profile()
        liar[128 + 4 + 4] = 0x7F
        var many = ProfileBytes.profile()
        many[128] = 0x7F
        for profile in [printer, liar, many, [], Array(ProfileBytes.profile().prefix(200))] {
            let image = try CleanedImage(JPEGBytes.file(ProfileBytes.segments(profile)))
            #expect(image.bytes == JPEGBytes.file())
        }
    }

    @Test func fileTruncatedAnywhereIsDamaged() {
        let file = JPEGBytes.file(JPEGBytes.jfif, JPEGBytes.exifSegment(orientation: 6))
        for length in 3..<file.count {
            let error = #expect(throws: AttachmentError.self) { try CleanedImage(file.prefix(length)) }
            #expect(error?.reason == .damaged, "\(length)")
        }
    }

    @Test func inconsistentPartsAreRefused() {
        let liars: [[UInt8]] = [
            JPEGBytes.file([0xFF, 0xE1, 0xFF, 0xFF, 1]), JPEGBytes.file([0xFF, 0xE1, 0, 1]),
            JPEGBytes.file([0xFF, 0xE1, 0, 0]), JPEGBytes.file(JPEGBytes.jfif, [0x00, 0x01]),
            JPEGBytes.file([0xFF, 0x02, 0, 2]),
            JPEGBytes.file(JPEGBytes.frame()), JPEGBytes.file(JPEGBytes.scan), [0xFF, 0xD8, 0xFF, 0xD9],
            JPEGBytes.file(JPEGBytes.segment(0xDB, [0] + Array(Self.secret.utf8))),
            JPEGBytes.file(JPEGBytes.segment(0xC4, Array(Self.secret.utf8))),
            JPEGBytes.file(JPEGBytes.segment(0xDD, Array(Self.secret.utf8))),
            JPEGBytes.file(picture: JPEGBytes.frame(width: 0) + JPEGBytes.scan),
            JPEGBytes.file(picture: JPEGBytes.segment(0xC0, [8, 0, 8, 0, 8, 3, 1, 0x11, 0]) + JPEGBytes.scan),
        ]
        for (number, file) in liars.enumerated() {
            let error = #expect(throws: AttachmentError.self, "\(number)") { try CleanedImage(file) }
            #expect(error?.code == "attachment-damaged", "\(number)")
        }
    }

    @Test func bombsAreRefusedBeforeAllocation() {
        let bomb = JPEGBytes.file(picture: JPEGBytes.frame(width: 65535, height: 65535) + JPEGBytes.scan)
        let long = JPEGBytes.file(
            [[UInt8]](repeating: JPEGBytes.segment(0xFE, text: "x"), count: 70_000).flatMap(\.self))
        for file in [bomb, long] {
            let error = #expect(throws: AttachmentError.self) { try CleanedImage(file) }
            #expect(error?.code == "attachment-too-large")
        }
        let small = #expect(throws: AttachmentError.self) {
            try CleanedImage(JPEGBytes.file(), limits: ImageLimits(bytes: 10))
        }
        #expect(small?.reason == .tooLarge)
    }

    @Test(arguments: [
        Array("%PDF-1.7 ".utf8), Array("\0\0\0\u{18}ftypheic".utf8), Array("GIF89a".utf8), Array("II*\0".utf8),
        Array("RIFF\0\0\0\0WEBPVP8 ".utf8), Array("Anna Muster".utf8), [0, 1, 2], [], [0xFF, 0xD8],
    ])
    func otherKindsOfFilesCannotBeCleaned(file: [UInt8]) {
        let error = #expect(throws: AttachmentError.self) { try CleanedImage(file) }
        #expect(error?.code == "attachment-not-cleanable")
        #expect(error?.message.contains("Anna") == false)
    }
}
