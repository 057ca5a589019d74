"""The table of places that a command should not write to unasked. `rules` tells how rows are made."""

from __future__ import annotations

from vibeos.ports.guard.danger import checks as check
from vibeos.ports.guard.danger.rows import PathRule

PATH_RULES: tuple[PathRule, ...] = (
    PathRule(
        "disk.write",
        "overwrites a disk, past its files",
        ("dd if=a.img of=/dev/sda bs=4M", "cp a.img /dev/nvme0n1", "cat a > /dev/disk2"),
        ("dd if=a of=b", "dd if=/dev/sda of=/tmp/x.img", "make > /dev/null"),
        check.disk,
    ),
    PathRule(
        "own.folder",
        "changes the folder that belongs to VibeOS itself",
        (
            "echo x | tee -a ~/.vibeos/a/USER.md",
            "rm ~/.vibeos/x",
            "cd ~/.vibeos && echo x > y",
            "echo x > $VIBEOS_HOME/skills/a",
            'rm "${VIBEOS_HOME}/memories/x"',
        ),
        ("cat ~/.vibeos/x > copy.txt", "cp $VIBEOS_HOME/x ."),
        check.own_folder,
    ),
    PathRule(
        "own.files",
        "changes a file that belongs to VibeOS itself",
        (
            "echo x > MEMORY.md",
            "sed -i s/a/b/ SOUL.md",
            "cp x config.yaml",
            "mv state.db old.db",
            "truncate -s 0 state.db",
            "vim MEMORY.md",
            "python -c \"open('MEMORY.md', 'w').write('x')\"",
        ),
        (
            "cat MEMORY.md > copy.txt",
            "cp config.yaml backup.yaml",
            "python -c \"print(open('MEMORY.md').read())\"",
        ),
        check.own_name,
        by_name=True,
    ),
    PathRule(
        "keys.write",
        "changes keys or the history of the shell",
        ("cat k.pub >> ~/.ssh/authorized_keys", "rm ~/.bash_history", "cp k ~/.ssh/id_rsa"),
        ("cat ~/.ssh/id_rsa.pub", "cp ~/.ssh/id_rsa.pub /tmp/k.pub", "echo x > history.txt"),
        check.keys,
    ),
    PathRule(
        "start.files",
        "changes what the person's shell, their machine or git runs by itself",
        (
            *(
                "echo x >> ~/.bashrc",
                "cat a | tee -a $HOME/.profile",
                "cp x /home/me/.zshrc",
                "mv x ~/.zshenv",
            ),
            *("sed -i s/a/b/ ~/.bash_profile", "cd ~ && echo x >> .bashrc", "cp -r dots/.profile ~"),
            *("cp a.service ~/.config/systemd/user/", "echo x > ~/.config/autostart/a.desktop"),
            *("cp hook .git/hooks/pre-commit", "echo x > /var/spool/cron/me", "echo x >> ~/.gitconfig"),
            *("python -c \"open('/root/.bashrc', 'a').write('x')\"", "patch ~/.zshrc x.diff"),
            "python -c \"open(os.path.expanduser('~/.bashrc'), 'a')\"",
        ),
        (
            *("cat ~/.bashrc", ". ~/.bashrc", "source ~/.profile", "grep x ~/.zshrc > out", "cp ~/.bashrc ."),
            *(
                "echo x > dots/.bashrc",
                "ls .git/hooks",
                "cp a .git/hooks/a.sample",
                "echo x > ~/.config/app/rc",
            ),
            *("systemctl --user status a", "sed -n 1p ~/.bashrc", "crontab -l"),
        ),
        check.start_file,
    ),
    PathRule(
        "system.write",
        "changes a folder of the operating system",
        (
            "echo x >> /etc/hosts",
            "cp a /usr/local/bin/a",
            "rm /boot/vmlinuz",
            "cat x | tee /etc/passwd",
            "echo b > /proc/sysrq-trigger",
        ),
        ("cat /etc/hosts > hosts.txt", "cp /etc/hosts .", "echo x > etc/hosts"),
        check.system,
    ),
)
