#!/usr/bin/env python3
"""Times web/summand.js in a browser: one query at a time in one worker, over an index in memory, with WebAssembly and
without.

    ./dev bench web --data DIR          base.bvecs, learn.bvecs and query.bvecs of DIR, coded in 8 bytes
    ./dev bench web --index FILE --queries FILE.bvecs
    ./dev bench web --page demo/explorer.html           instead: a page opened from the disk, and clicks on its examples
"""
import argparse
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
PAGE = b'<!doctype html><title>bench</title><script>new Worker("/worker.js", { type: "module" })</script>'
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, help="folder with base.bvecs, learn.bvecs and query.bvecs")
    parser.add_argument("--spec", nargs="+", default=["OPQ8"], help="what is built of them (default OPQ8)")
    parser.add_argument("--learn-size", default="20000")
    parser.add_argument("--index", type=pathlib.Path, nargs="+", help="instead: finished indexes")
    parser.add_argument("--queries", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, help="a page of the demo or of `summand page`")
    parser.add_argument("--browser", help="its program (default: the first found of %s)" % ", ".join(BROWSERS))
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    if not options.page and not options.data and not (options.index and options.queries):
        parser.error("expected --data, or --index and --queries, or --page")
    return options


def built(options, folder):
    for number, spec in enumerate(options.spec):
        index = folder / f"{number}.smd"
        subprocess.run([ROOT / "build/summand", "build", "--quiet", "--spec", spec, "--learn", options.data / "learn.bvecs",
                        "--learn-size", options.learn_size, options.data / "base.bvecs", "-o", index], check=True)
        yield index


def server(files):
    """Serves the files and keeps what the page posts in `answer`."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def reply(self, kind, content):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self):
            if self.path == "/":
                return self.reply("text/html", PAGE)
            if self.path not in files:
                return self.send_error(404)
            kind = "text/javascript" if self.path.endswith(".js") else "application/octet-stream"
            return self.reply(kind, files[self.path].read_bytes())

        def do_POST(self):
            self.server.answer = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.reply("text/plain", b"")
            self.server.answered.set()

    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.answered = threading.Event()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made


def measured(browser, index, queries):
    own = server({"/summand.js": ROOT / "web/summand.js", "/worker.js": HERE / "worker.js", "/index.smd": index,
                  "/query.bvecs": queries})
    with tempfile.TemporaryDirectory() as profile:
        process = subprocess.Popen([browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                                    f"http://127.0.0.1:{own.server_port}/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if not own.answered.wait(300):
                raise SystemExit(f"{browser} did not answer within 300 s")
        finally:
            process.terminate()
            process.wait()
            own.shutdown()
    return own.answer


def write_json(options, figures):
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def page_measured(page):
    """What clicks.mjs says, with the packages of the tests in a browser."""
    packages = ROOT / "tests/web/browser/packages"
    if subprocess.run([packages, "install"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise SystemExit("the packages of tests/web/browser cannot be installed, which takes npm")
    done = subprocess.run(["node", HERE / "clicks.mjs", page], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout.strip() or f"{page}: cannot be measured")
    return json.loads(done.stdout)


def show_page(page, figures):
    print(f"{page}: {figures['bytes'] / 1e6:.1f} MB, first picture after {figures['picture'] / 1000:.2f} s, first answers after "
          f"{figures['answers'] / 1000:.2f} s; ms of {figures['clicks']} clicks")
    print(f"{'method':20}{'search':>8}{'90 %':>8}{'click':>8}{'90 %':>8}")
    for row in figures["methods"]:
        print(f"{row['method']:20}" + "".join(f"{time:8.1f}" for time in (*row["search"], *row["click"])))


def main():
    options = arguments()
    if options.page:
        figures = page_measured(options.page)
        show_page(options.page, figures)
        write_json(options, figures)
        return 0
    browser = options.browser or next((name for name in BROWSERS if shutil.which(name)), None)
    if not browser:
        raise SystemExit("no browser found: expected one of " + ", ".join(BROWSERS))
    version = subprocess.run([browser, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for index in options.index or built(options, pathlib.Path(folder)):
            answer = measured(browser, index, options.queries or options.data / "query.bvecs")
            figures += [{"browser": version, **result} for result in answer["results"]]
    print(f"{version}, one worker, one query at a time, ms")
    print(f"{'method':8}{'vectors':>10}{'bytes':>6}  {'':16}{'open':>8}{'median':>8}{'90 %':>8}")
    for row in figures:
        how = "WebAssembly" if row["kernel"] else "JavaScript"
        print(f"{row['method']:8}{row['size']:>10,}{row['bytes']:>6}  {how:16}{row['opened']:8.0f}{row['median']:8.2f}{row['ninety']:8.2f}")
    write_json(options, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
