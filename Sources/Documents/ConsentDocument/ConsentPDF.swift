import Foundation
import InformedConsent

/// Draws a signed consent as PDF.
///
/// The document contains the person's name and signature: it is for the person, and never leaves the device.
public enum ConsentPDF {
    /// Draws the document on A4 pages.
    ///
    /// - Parameter fonts: the fonts to embed; nil uses DejaVu Sans from the system's font folders.
    /// - Throws: ``ConsentPDFError``.
    public static func draw(
        _ layout: ConsentDocumentLayout, fonts: FontFiles? = nil
    ) throws(ConsentPDFError) -> Data {
        guard let fonts = fonts ?? FontFiles.dejaVu() else { throw ConsentPDFError.fontMissing }
        var image: PNGImage?
        if let png = layout.signature.image {
            guard let read = PNGImage(png) else { throw ConsentPDFError.signatureUnreadable }
            image = read
        }
        let canvas = try PDFCanvas(fonts: fonts)
        try canvas.text(layout.title, .bold, size: 20)
        if let team = layout.teamName { try canvas.text(team, size: 12, grey: 0.3) }
        if let template = layout.template { try canvas.text(template, size: 8, grey: 0.4) }
        for section in layout.sections {
            try heading(section.heading, canvas)
            for paragraph in section.paragraphs { try body(paragraph, canvas) }
        }
        if !layout.eligibility.isEmpty {
            try heading("Who can take part", canvas)
            for one in layout.eligibility { try body("\(one.text) \(one.answer ? "Yes" : "No")", canvas) }
        }
        if let sharing = layout.sharing {
            try heading("Sharing", canvas)
            try body(sharing, canvas)
        }
        try signature(layout.signature, image: image, on: canvas)
        return try canvas.finish(title: layout.title)
    }

    private static func heading(_ text: String, _ canvas: PDFCanvas) throws(ConsentPDFError) {
        canvas.space(14)
        guard !text.isEmpty else { return }
        try canvas.text(text, .bold, size: 13, keepWith: 30)
    }

    private static func body(_ text: String, _ canvas: PDFCanvas) throws(ConsentPDFError) {
        try canvas.text(text, size: 10.5, indent: text.hasPrefix("•") ? 12 : 0)
        canvas.space(4)
    }

    private static func signature(
        _ signature: ConsentDocumentLayout.Signature, image: PNGImage?, on canvas: PDFCanvas
    ) throws(ConsentPDFError) {
        // Statement, image, line, name and date are kept on one page.
        canvas.space(20)
        try canvas.keep(image == nil ? 90 : 170)
        try canvas.text("I have read this document and I agree to take part.", .bold, size: 11)
        canvas.space(10)
        if let image {
            try canvas.image(image, width: 220, height: 70)
        } else {
            canvas.space(24)
        }
        canvas.space(4)
        try canvas.rule(260)
        try canvas.text(signature.name, size: 11)
        try canvas.text(signature.date, size: 10, grey: 0.3)
    }
}
