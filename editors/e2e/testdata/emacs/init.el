;; What one writes for eglot, and then what the tests need.
(require 'eglot)
(add-to-list 'eglot-server-programs '(text-mode . ("patchls" "serve")))
(add-hook 'text-mode-hook #'eglot-ensure)
(setq eglot-confirm-server-initiated-edits nil
      eglot-confirm-server-edits nil
      make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      inhibit-startup-screen t)
(setq native-comp-async-report-warnings-errors 'silent)

(global-set-key (kbd "C-c i") #'ignore)
(require 'server)
(setq server-socket-dir (getenv "E2E_SERVER")
      server-name "e2e")
(server-start)

;; Returns a text as base64, so that what Emacs prints cannot be misread.
(defun e2e-text (path)
  (let ((buffer (find-buffer-visiting path)))
    (if (not buffer)
        "closed"
      (with-current-buffer buffer
        (concat (if (buffer-modified-p) "dirty " "clean ")
                (save-restriction
                  (widen)
                  (base64-encode-string
                   (encode-coding-string (buffer-substring-no-properties (point-min) (point-max)) 'utf-8)
                   t)))))))

(defun e2e-show (path)
  (switch-to-buffer (or (find-buffer-visiting path) (error "No buffer of %s" path))))

(defun e2e-goto (path line column)
  (e2e-show path)
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char (1- column)))
