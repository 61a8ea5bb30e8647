import CHaru
import Foundation

/// A document that is drawn with libharu: A4 pages with text from top to bottom.
///
/// libharu reports an error once to a callback and then fails all further calls; the canvas stores the first error, and
/// every method throws it.
final class PDFCanvas {
    /// The margin on all sides, in points.
    static let margin: Float = 56
    static let width: Float = 595.276
    static let height: Float = 841.89

    /// The first error that libharu reported.
    private final class ErrorBox {
        var first: UInt?
    }

    enum Face {
        case regular, bold
    }

    private let errors = ErrorBox()
    private let document: HPDF_Doc
    private var regular: HPDF_Font?
    private var bold: HPDF_Font?
    private var pages: [HPDF_Page] = []
    /// The distance of the next line's top from the lower edge.
    private var top: Float = 0

    init(fonts: FontFiles) throws(ConsentPDFError) {
        // The box lives as long as the canvas, which frees the document in its deinitializer.
        let box = Unmanaged.passUnretained(errors).toOpaque()
        let made = HPDF_New(
            { code, _, box in
                guard let box else { return }
                let errors = Unmanaged<ErrorBox>.fromOpaque(box).takeUnretainedValue()
                if errors.first == nil { errors.first = UInt(code) }
            }, box)
        guard let made else { throw ConsentPDFError.library(errors.first ?? 0) }
        document = made
        guard HPDF_HasDoc(document) != 0 else { throw ConsentPDFError.library(errors.first ?? 0) }
        HPDF_SetCompressionMode(document, HPDF_UINT(HPDF_COMP_ALL))
        HPDF_UseUTFEncodings(document)
        HPDF_SetCurrentEncoder(document, "UTF-8")
        try check()
        regular = try load(fonts.regular)
        bold = if let path = fonts.bold, path != fonts.regular { try load(path) } else { regular }
        try newPage()
    }

    deinit { HPDF_Free(document) }

    /// Throws the first error that libharu reported.
    private func check() throws(ConsentPDFError) {
        if let first = errors.first { throw ConsentPDFError.library(first) }
    }

    private func load(_ path: String) throws(ConsentPDFError) -> HPDF_Font {
        guard let file = FileManager.default.contents(atPath: path), TrueTypeFile.isWhole(file),
            let name = HPDF_LoadTTFontFromFile(document, path, HPDF_BOOL(HPDF_TRUE)),
            let font = HPDF_GetFont(document, name, "UTF-8"), errors.first == nil
        else { throw ConsentPDFError.fontUnreadable(path: path) }
        return font
    }

    private func newPage() throws(ConsentPDFError) {
        guard let page = HPDF_AddPage(document) else { throw ConsentPDFError.library(errors.first ?? 0) }
        HPDF_Page_SetSize(page, HPDF_PAGE_SIZE_A4, HPDF_PAGE_PORTRAIT)
        pages.append(page)
        top = PDFCanvas.height - PDFCanvas.margin
        try check()
    }

    /// Begins a new page if less than `points` points are left.
    func keep(_ points: Float) throws(ConsentPDFError) {
        if top - points < PDFCanvas.margin { try newPage() }
    }

    func space(_ points: Float) { top -= points }

    /// Draws a paragraph, broken into lines and pages.
    ///
    /// - Parameter keepWith: points that must be left below the first line, so that no heading is at the end of a page.
    func text(
        _ text: String, _ face: Face = .regular, size: Float, indent: Float = 0, grey: Float = 0, keepWith: Float = 0
    ) throws(ConsentPDFError) {
        let leading = size * 1.4
        try keep(leading + keepWith)
        for line in lines(of: text, face, size: size, width: PDFCanvas.width - 2 * PDFCanvas.margin - indent) {
            try keep(leading)
            draw(line, face, size: size, x: PDFCanvas.margin + indent, y: top - size, grey: grey, on: pages.last)
            top -= leading
        }
        try check()
    }

    /// Draws a horizontal line of `length` points.
    func rule(_ length: Float) throws(ConsentPDFError) {
        guard let page = pages.last else { return }
        HPDF_Page_SetLineWidth(page, 0.5)
        HPDF_Page_MoveTo(page, PDFCanvas.margin, top)
        HPDF_Page_LineTo(page, PDFCanvas.margin + length, top)
        HPDF_Page_Stroke(page)
        top -= 4
        try check()
    }

    /// Draws an image in a box, with the maximum size `width` times `height` points.
    func image(_ image: PNGImage, width: Float, height: Float) throws(ConsentPDFError) {
        let loaded = HPDF_LoadRawImageFromMem(
            document, image.pixels, HPDF_UINT(image.width), HPDF_UINT(image.height), HPDF_CS_DEVICE_RGB, 8)
        try check()
        guard let loaded else { throw ConsentPDFError.library(0) }
        let size = (width: Float(image.width), height: Float(image.height))
        let scale = min(width / size.width, height / size.height)
        try keep(size.height * scale)
        HPDF_Page_DrawImage(
            pages.last ?? nil, loaded, PDFCanvas.margin, top - size.height * scale, size.width * scale,
            size.height * scale)
        top -= size.height * scale
        try check()
    }

    /// Adds page numbers and returns the finished file.
    func finish(title: String) throws(ConsentPDFError) -> Data {
        for (index, page) in pages.enumerated() {
            let text = "\(index + 1) / \(pages.count)"
            let width = self.width(text, .regular, size: 9)
            draw(text, .regular, size: 9, x: (PDFCanvas.width - width) / 2, y: 30, grey: 0.4, on: page)
        }
        // Information strings are Latin-1 unless the encoder specifies otherwise, so only characters that are the same
        // in both encodings are written.
        HPDF_SetInfoAttr(document, HPDF_INFO_TITLE, String(title.unicodeScalars.filter(\.isASCII).map(Character.init)))
        HPDF_SaveToStream(document)
        try check()
        var size = HPDF_GetStreamSize(document)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        HPDF_ResetStream(document)
        HPDF_ReadFromStream(document, &bytes, &size)
        try check()
        return Data(bytes.prefix(Int(size)))
    }

    // MARK: Text

    private func draw(
        _ line: String, _ face: Face, size: Float, x: Float, y: Float, grey: Float, on page: HPDF_Page?
    ) {
        guard let page, !line.isEmpty else { return }
        HPDF_Page_SetGrayFill(page, grey)
        HPDF_Page_SetFontAndSize(page, face == .bold ? bold : regular, size)
        HPDF_Page_BeginText(page)
        HPDF_Page_TextOut(page, x, y, line)
        HPDF_Page_EndText(page)
    }

    private func width(_ text: String, _ face: Face, size: Float) -> Float {
        guard !text.isEmpty, let font = face == .bold ? bold : regular else { return 0 }
        let bytes = Array(text.utf8)
        return Float(HPDF_Font_TextWidth(font, bytes, HPDF_UINT(bytes.count)).width) * size / 1000
    }

    /// Breaks a text between words, and a word that is wider than a line between its characters.
    private func lines(of text: String, _ face: Face, size: Float, width limit: Float) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in PDFText.drawable(text).split(separator: " ") {
            let joined = line.isEmpty ? String(word) : line + " " + word
            if width(joined, face, size: size) <= limit {
                line = joined
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = String(word)
            while width(line, face, size: size) > limit {
                var head = ""
                for character in line {
                    guard head.isEmpty || width(head + String(character), face, size: size) <= limit else { break }
                    head.append(character)
                }
                guard head.count < line.count else { break }
                lines.append(head)
                line = String(line.dropFirst(head.count))
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}

/// Prepares text for libharu.
enum PDFText {
    /// Replaces characters beyond the Basic Multilingual Plane, which libharu's encoder does not support, by a box, and
    /// white space and control characters by spaces.
    static func drawable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
            switch scalar.value {
            case 0x20...0x7E, 0xA0...0x200A, 0x2010...0x2027, 0x202F...0x205F, 0x2070...0xD7FF, 0xF900...0xFDFF,
                0xFE10...0xFFFD:
                result.append(scalar)
            case 0x0...0x1F, 0x7F, 0x80...0x9F, 0x2028, 0x2029: result.append(" ")
            case 0x10000...: result.append("\u{25A1}")
            // Drops marks without a width, variation selectors and private characters.
            default: break
            }
        }
        return String(result)
    }
}
