import Testing

@testable import Attachments

@Suite struct PNGCleaningTests {
    static let foreign: [(chunk: [UInt8], kind: ImageMetadata)] = [
        (PNGBytes.chunk("tEXt", Array("Author\0SECRET".utf8)), .text),
        (PNGBytes.chunk("zTXt", Array("Author\0\0SECRET".utf8)), .text),
        (PNGBytes.chunk("iTXt", Array("Title\0\0\0\0\0SECRET".utf8)), .text),
        (PNGBytes.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0SECRET".utf8)), .xmp),
        (PNGBytes.chunk("tIME", [7, 0xEA, 1, 2, 3, 4, 5]), .time),
        (PNGBytes.chunk("eXIf", JPEGBytes.exif(orientation: 1)), .exif),
        (PNGBytes.chunk("iCCP", Array("Annas Display\0\0".utf8)), .profileText),
        (PNGBytes.chunk("prVt", Array("SECRET".utf8)), .applicationData),
        (PNGBytes.chunk("sPLT", Array("SECRET".utf8)), .applicationData),
        // Colour chunks that are longer than the standard allows.
        (PNGBytes.chunk("gAMA", Array("SECRET".utf8)), .applicationData),
        (PNGBytes.chunk("sRGB", []), .applicationData),
    ]

    @Test(arguments: foreign.indices)
    func chunksOutsideThePictureAreRemovedAndReported(index: Int) throws {
        let (chunk, kind) = Self.foreign[index]
        let image = try CleanedImage(PNGBytes.file(chunk))
        #expect(image.bytes == PNGBytes.file())
        #expect(image.removed == [kind])
        #expect((image.format, image.width, image.height, image.orientation) == (.png, 8, 8, 1))
    }

    @Test func coloursTransparencyAndAnimationStay() throws {
        let kept = [
            ("sRGB", 1), ("gAMA", 4), ("cHRM", 32), ("sBIT", 3), ("cICP", 4), ("PLTE", 6), ("tRNS", 2), ("bKGD", 6),
            ("pHYs", 9), ("acTL", 8), ("fcTL", 26), ("fdAT", 9),
        ].flatMap { PNGBytes.chunk($0.0, [UInt8](repeating: 1, count: $0.1)) }
        let image = try CleanedImage(PNGBytes.file(kept))
        #expect(image.bytes == PNGBytes.file(kept))
        #expect(image.removed.isEmpty)
    }

    @Test func secondColourChunkIsRemoved() throws {
        let gamma = PNGBytes.chunk("gAMA", [0, 1, 2, 3])
        let image = try CleanedImage(PNGBytes.file(gamma, PNGBytes.chunk("gAMA", Array("Anna".utf8))))
        #expect(image.bytes == PNGBytes.file(gamma))
        #expect(image.removed == [.applicationData])
    }

    @Test(arguments: 1...8)
    func onlyTheOrientationOfExifIsKeptWithItsChecksum(orientation: Int) throws {
        let image = try CleanedImage(PNGBytes.file(PNGBytes.chunk("eXIf", JPEGBytes.exif(orientation: orientation))))
        let alone = PNGBytes.chunk("eXIf", ExifOrientation.tiff(orientation))
        #expect(image.bytes == PNGBytes.file(orientation == 1 ? [] : alone))
        #expect(image.orientation == orientation)
        let again = try CleanedImage(image.bytes)
        #expect(again.bytes == image.bytes && again.removed.isEmpty && again.orientation == orientation)
    }

    @Test func bytesAfterTheEndAreRemoved() throws {
        let image = try CleanedImage(PNGBytes.file(trailing: Array("SECRET".utf8)))
        #expect(image.bytes == PNGBytes.file())
        #expect(image.removed == [.trailingData])
    }

    @Test func fileTruncatedAnywhereIsDamaged() {
        let file = PNGBytes.file(PNGBytes.chunk("tEXt", Array("a\0b".utf8)))
        for length in 8..<file.count {
            let error = #expect(throws: AttachmentError.self) { try CleanedImage(file.prefix(length)) }
            #expect(error?.reason == .damaged, "\(length)")
        }
    }

    @Test func inconsistentPartsAreRefused() {
        var wrongSum = PNGBytes.file()
        wrongSum[wrongSum.count - 20] ^= 1
        let liars: [[UInt8]] = [
            wrongSum, PNGBytes.file(PNGBytes.number(0xFFFF_FFFF) + Array("tEXt".utf8)),
            PNGBytes.file(PNGBytes.header()), PNGBytes.signature + PNGBytes.data + PNGBytes.end,
            PNGBytes.signature + PNGBytes.header() + PNGBytes.end,
            PNGBytes.signature + PNGBytes.header(width: 0) + PNGBytes.data + PNGBytes.end,
            PNGBytes.signature + PNGBytes.chunk("IHDR", Array("SECRET".utf8)) + PNGBytes.data + PNGBytes.end,
            PNGBytes.file(PNGBytes.chunk("PLTE", Array("Anna".utf8))),
        ]
        for (number, file) in liars.enumerated() {
            let error = #expect(throws: AttachmentError.self, "\(number)") { try CleanedImage(file) }
            #expect(error?.code == "attachment-damaged", "\(number)")
        }
    }

    @Test func bombsAndForeignKindsAreRefused() {
        let bomb = PNGBytes.signature + PNGBytes.header(width: 100_000, height: 100_000) + PNGBytes.data + PNGBytes.end
        let error = #expect(throws: AttachmentError.self) { try CleanedImage(bomb) }
        #expect(error?.reason == .tooLarge)
        let huge =
            PNGBytes.signature + PNGBytes.header(width: .max, height: .max) + PNGBytes.data + PNGBytes.end
        #expect(throws: AttachmentError.self) { try CleanedImage(huge) }
        let crushed = #expect(throws: AttachmentError.self) { try CleanedImage(PNGBytes.file(PNGBytes.chunk("CgBI"))) }
        #expect(crushed?.reason == .notCleanable)
    }
}
