//! A headless Chromium, driven over its DevTools pipe: messages in JSON, each ended by a zero byte.
//!
//! The browser reads from descriptor 3 and writes to 4; a shell opens them on two named pipes.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

const FLAGS: [&str; 15] = [
    "--headless",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--window-size=1280,800",
    "--force-device-scale-factor=1",
];

/// The browser that is installed, if there is one.
pub fn installed() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    named.or(found)
}

pub struct Chromium {
    child: Child,
    folder: PathBuf,
    to: File,
    from: Receiver<Value>,
    next: u64,
    session: String,
    /// Errors of the page, and addresses that it asked for.
    pub errors: Vec<String>,
    pub requests: Vec<String>,
}

impl Chromium {
    /// A browser with one page of its own; `flags` beside the usual ones.
    pub fn start(program: &Path, folder: PathBuf, flags: &[&str]) -> Chromium {
        std::fs::create_dir_all(&folder).unwrap();
        let pipes = ["to", "from"].map(|name| folder.join(name));
        let made = Command::new("mkfifo").args(&pipes).status().unwrap();
        assert!(made.success());
        let child = Command::new("sh")
            .args(["-c", "to=$1; from=$2; shift 2; exec \"$@\" 3<\"$to\" 4>\"$from\"", "sh"])
            .args(&pipes)
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = OpenOptions::new().write(true).open(&pipes[0]).unwrap();
        let answers = File::open(&pipes[1]).unwrap();
        let (send, from) = channel();
        std::thread::spawn(move || {
            for text in BufReader::new(answers).split(0).map_while(Result::ok) {
                if let Ok(message) = serde_json::from_slice::<Value>(&text)
                    && send.send(message).is_err()
                {
                    return;
                }
            }
        });
        let (errors, requests) = (Vec::new(), Vec::new());
        let mut browser =
            Chromium { child, folder, to, from, next: 0, session: String::new(), errors, requests };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message =
                self.from.recv_timeout(left).unwrap_or_else(|_| panic!("{method} is not answered"));
            if message["id"] == json!(id) {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn note(&mut self, message: &Value) {
        let about = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.errors.push(about["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if about["type"] == "error" => {
                self.errors.push(about["args"].to_string())
            }
            "Log.entryAdded" if about["entry"]["level"] == "error" => {
                self.errors.push(about["entry"].to_string())
            }
            "Network.requestWillBeSent" => {
                self.requests.push(about["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }

    /// Opens a page and waits until it has built itself.
    pub fn open(&mut self, path: &Path) {
        self.open_at(path, "");
    }

    pub fn open_at(&mut self, path: &Path, hash: &str) {
        self.call("Page.navigate", json!({"url": format!("file://{}{hash}", path.display())}));
        self.wait("globalThis.gudgeon && document.readyState === 'complete'");
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: &str) -> Value {
        let ask = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", ask);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    pub fn number(&mut self, expression: &str) -> f64 {
        self.value(expression).as_f64().unwrap_or(f64::NAN)
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        while self.value(&format!("Boolean({expression})")) != json!(true) {
            assert!(Instant::now() < until, "{expression} does not come true; {:?}", self.errors);
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// A picture of the page.
    pub fn picture(&mut self, path: &Path, (width, height): (u32, u32), dark: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let theme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
        self.call("Emulation.setEmulatedMedia", media);
        std::thread::sleep(Duration::from_millis(700));
        let picture = self.call("Page.captureScreenshot", json!({"format": "png"}));
        std::fs::write(path, decoded(picture["data"].as_str().unwrap())).unwrap();
    }
}

/// Bytes of base 64.
fn decoded(text: &str) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut word, mut bits) = (Vec::new(), 0u32, 0);
    for value in text.chars().filter_map(|c| letters.find(c)) {
        word = word << 6 | value as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    out
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0"); // it may be gone
        let until = Instant::now() + Duration::from_secs(5);
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
